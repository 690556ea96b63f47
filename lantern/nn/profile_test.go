package nn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"reel/event"
	"reel/lantern/device"
	"reel/rec"
	"reel/reelfile"
)

// recorded runs f with a profile and returns the events that it left.
func recorded(t *testing.T, p device.Profile, f func(o *Ops)) (out []event.Event) {
	t.Helper()
	r, err := rec.Open("", rec.Options{Heap: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	d := device.New(device.Options{})
	defer d.Close()
	p.Recorder = r
	d.Profile(&p)
	o := On(context.Background(), d.NewStream("compute"))
	f(o)
	if err := o.Sync(); err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/x.reel"
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	src, err := reelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for e, err := range event.All(src) {
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if err == nil && e.Kind != event.Meta {
			out = append(out, e)
		}
	}
	return out
}

func layer(o *Ops) {
	x, w := o.FromHost(make([]float32, 6), 2, 3), o.FromHost(make([]float32, 12), 4, 3)
	o.Linear(x, w, Tensor{})
}

// TestOperatorsAreRecorded pins an operator's range, the launch in it, the kernel tied
// to that, and what is recorded on request alone.
func TestOperatorsAreRecorded(t *testing.T) {
	plain := recorded(t, device.Profile{}, layer)
	var op, launch, kernel event.Event
	for _, e := range plain {
		for _, a := range e.Args {
			if a.Key != "timed" {
				t.Errorf("%s has %s without being asked", e.Name, a.Key)
			}
		}
		switch {
		case e.Name == "nn::linear":
			op = e
		case e.Name == "linear":
			kernel = e
		case e.Class == event.Runtime && e.Name == "deviceLaunchKernel":
			launch = e
		}
	}
	if op.Class != event.Op || kernel.Class != event.Kernel || launch.Link == 0 || launch.Link != kernel.Link {
		t.Errorf("operator %+v\nlaunch %+v\nkernel %+v", op, launch, kernel)
	}
	if launch.Start < op.Start || launch.End() > op.End() || launch.Track != op.Track {
		t.Error("the launch lies outside of its operator")
	}
	full := recorded(t, device.Profile{Shapes: true, Stacks: true, FLOPs: true, Memory: true}, layer)
	text, memory := "", 0
	for _, e := range full {
		if e.Class == event.DeviceMemory {
			memory++
		}
		if e.Name != "nn::linear" && e.Name != "linear" {
			continue
		}
		text += e.Name
		for _, a := range e.Args {
			switch a.Key {
			case "timed":
			case "Call stack":
				calls := strings.Split(a.Text, ";")
				if !strings.HasSuffix(calls[0], "nn.layer") || !strings.Contains(calls[0], "profile_test.go(") {
					t.Errorf("the innermost call is %s of %v", calls[0], calls)
				}
			default:
				text += fmt.Sprintf(" %s=%v", a.Key, a)
			}
		}
		text += "\n"
	}
	if want := "nn::linear Input Dims=[[2,3],[4,3],[]] FLOPs=48\nlinear flops=48 memory bytes=104\n"; text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
	if memory == 0 {
		t.Error("no memory was recorded")
	}
}
