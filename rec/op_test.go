package rec

import (
	"context"
	"testing"

	"reel/event"
)

// TestOps records operators, calls, memory, and activities that say more.
func TestOps(t *testing.T) {
	r := recorder(t, Options{})
	ctx := context.Background()
	op := r.Op(ctx, "linear", event.Arg{Key: "Input Dims", Kind: event.ArgRaw, Text: "[[2,3],[3,4]]"}, event.Arg{Key: "Call stack", Kind: event.ArgText, Text: "a;b"})
	g, link := r.Launch(ctx, "launch")
	g.End()
	op.End()
	r.Call(ctx, "synchronize").End()
	s := NewStream(0, 1, "s", nil)
	args := []event.Arg{{Key: "flops", Num: 48}, {Key: "share", Kind: event.ArgFloat, Num: 0x3FE0000000000000}}
	r.Activity(s, Activity{Name: "gemm", Link: link, Start: uint64(Now()), Args: args})
	r.Activity(s, Activity{Name: "copy", Class: event.Copy, Link: link, Bytes: 64, Start: uint64(Now()), Args: args[:1]})
	r.Memory(ctx, Memory{Bytes: -512, Addr: 4096, Device: 1, Allocated: 1024, Reserved: 2048})
	r.Memory(ctx, Memory{Bytes: 8, Host: true})
	list := saved(t, r)
	want(t, "events", brief(list), `
range linear Input Dims=[[2,3],[3,4]] Call stack=a;b
range launch
range synchronize
mark [memory] value -512 Addr=4096 Device Id=1 Total Allocated=1024 Total Reserved=2048
mark [memory] value 8 Addr=0 Device Id=0 Total Allocated=0 Total Reserved=0
activity gemm flops=48 share=0.5 timed=host
activity copy value 64 flops=48 timed=host`)
	classes := []event.Class{event.Op, event.Runtime, event.Runtime, event.DeviceMemory, event.HostMemory, event.Kernel, event.Copy}
	for i, e := range list {
		if e.Class != classes[i] {
			t.Errorf("%s is %v, want %v", e.Name, e.Class, classes[i])
		}
		if (e.Kind == event.Activity) != (e.Link == int64(link)) && e.Name != "launch" {
			t.Errorf("%s has link %d", e.Name, e.Link)
		}
	}
	if list[0].Args[0].Kind != event.ArgRaw {
		t.Error("the shapes are no raw JSON")
	}
}

// TestClock records by a clock that somebody moves.
func TestClock(t *testing.T) {
	now := Time(5e9)
	r := recorder(t, Options{Clock: func() Time { return now }})
	ctx := context.Background()
	now += 100
	g := r.Range(ctx, "a")
	now += 250
	g.End()
	r.Activity(NewStream(0, 1, "s", nil), Activity{Name: "k", Start: uint64(now), Dur: 40})
	for _, e := range saved(t, r) {
		if e.Name == "a" && (e.Start != 100 || e.Dur != 250) || e.Name == "k" && (e.Start != 350 || e.Dur != 40) {
			t.Errorf("%s: %d for %d ns", e.Name, e.Start, e.Dur)
		}
	}
}
