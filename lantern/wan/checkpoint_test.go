package wan

import (
	"testing"

	"reel/lantern/checkpoint"
	"reel/lantern/device"
	"reel/lantern/nn"
)

// TestCheckpoint makes one frame with the weights that are part of the program,
// which are not files of the operating system.
func TestCheckpoint(t *testing.T) {
	d := device.New(device.Options{})
	defer d.Close()
	s := d.NewStream("test")
	p, err := Open(t.Context(), s, checkpoint.FS(), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	o := nn.On(t.Context(), s)
	defer o.Close()
	m := p.Transformer
	text := m.Text(o, p.EncodePrompt(o, "a red circle moving right on a blue background", 24))
	x := o.Zeros(1, m.Config.InChannels, 1, 4, 4)
	x = o.AddScaled(x, m.Forward(o, x, []float32{1000}, text, nil), -1)
	side := 4 * p.VAE.Config.SpatialFactor()
	frame := p.VAE.Decode(o, p.VAE.Denormalize(o, x), nil)
	values, err := o.ToHost(frame)
	if err != nil {
		t.Fatal(err)
	}
	if !frame.HasDims(1, 3, 1, side, side) {
		t.Errorf("the frame is %v", frame)
	}
	for i, v := range values {
		if !(v >= -1 && v <= 1) {
			t.Fatalf("value %d of the frame is %g", i, v)
		}
	}
}
