package wan_test

import (
	"context"
	"fmt"
	"os"

	"reel/lantern/device"
	"reel/lantern/nn"
	"reel/lantern/wan"
)

// A clip from a prompt and from latents that should be noise.
func Example() {
	ctx := context.Background()
	d := device.New(device.Options{})
	defer d.Close()
	s := d.NewStream("compute")
	p, err := wan.Open(ctx, s, os.DirFS("testdata/model"), wan.LoadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()

	o := nn.On(ctx, s)
	defer o.Close()
	m := p.Transformer
	with, without := m.Text(o, p.EncodePrompt(o, "a red circle", 16)), m.Text(o, p.EncodePrompt(o, "", 16))
	schedule, err := p.Scheduler.Schedule(4)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := o.Zeros(1, m.Config.InChannels, 2, 4, 6)
	for i := range schedule.Steps() {
		t := schedule.Timesteps[i : i+1]
		flow := wan.Guide(o, m.Forward(o, x, t, with, nil), m.Forward(o, x, t, without, nil), 3)
		x = schedule.Step(o, i, x, flow)
	}
	clip := p.VAE.Decode(o, p.VAE.Denormalize(o, x), nil)
	fmt.Println(clip.Dims(), o.Sync())
	// Output: [1 3 5 32 48] <nil>
}
