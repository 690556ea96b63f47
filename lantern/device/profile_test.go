package device

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"reel/event"
	"reel/rec"
	"reel/reelfile"
)

// recorder records in memory.
func recorder(t testing.TB, opt rec.Options) *rec.Recorder {
	t.Helper()
	opt.Heap = true
	r, err := rec.Open("", opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// events returns what was recorded so far.
func events(t testing.TB, r *rec.Recorder) (out []event.Event) {
	t.Helper()
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

// TestProfile pins what launches, copies, waits and memory leave in a recording.
func TestProfile(t *testing.T) {
	d := device(t, Options{ID: 3})
	s := d.NewStream("compute")
	r := recorder(t, rec.Options{})
	s.Launch(ctx, "before", Work{}, func(*Kernel) {})
	d.Profile(&Profile{Recorder: r, FLOPs: true, Memory: true})
	b := alloc(t, s, 100)
	s.Launch(ctx, "gemm", Work{FLOPs: 2000, Bytes: 300}, func(*Kernel) { time.Sleep(time.Millisecond) })
	s.Launch(ctx, "memcpy", Work{Bytes: 400, Class: event.Copy}, func(*Kernel) {})
	s.Launch(ctx, "memset", Work{Bytes: 50, Class: event.Set}, func(*Kernel) {})
	if err := s.Synchronize(ctx); err != nil {
		t.Fatal(err)
	}
	b.Free(ctx)
	d.Profile(nil)
	s.Launch(ctx, "after", Work{}, func(*Kernel) {})
	if err := s.Synchronize(ctx); err != nil {
		t.Fatal(err)
	}
	var text []string
	links := map[int64][]string{}
	for _, e := range events(t, r) {
		line := fmt.Sprintf("%v %v %s", e.Kind, e.Class, e.Name)
		if e.Value != 0 {
			line += fmt.Sprintf(" %d", e.Value)
		}
		for _, a := range e.Args {
			if a.Key == "flops" || a.Key == "memory bytes" || a.Key == "Total Allocated" {
				line += fmt.Sprintf(" %s=%v", a.Key, a)
			}
		}
		text = append(text, line)
		if e.Link != 0 {
			links[e.Link] = append(links[e.Link], e.Name)
		}
		if dev, stream, ok := e.GPU(); e.Kind == event.Activity && (!ok || dev != 3 || stream != 1) {
			t.Errorf("%s lies on %+v", e.Name, e.Track)
		}
		if e.Name == "gemm" && e.Dur < 1e6 {
			t.Errorf("gemm lasts %d ns", e.Dur)
		}
	}
	want := `mark devmem [memory] 512 Total Allocated=512
range runtime deviceLaunchKernel
range runtime deviceMemcpyAsync
range runtime deviceMemsetAsync
range runtime deviceStreamSynchronize
mark devmem [memory] -512 Total Allocated=0
activity kernel gemm flops=2000 memory bytes=300
activity copy memcpy 400
activity set memset 50`
	if got := strings.Join(text, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(links) != 3 {
		t.Errorf("launches and activities are tied as %v", links)
	}
	for _, l := range links {
		if len(l) != 2 || !strings.HasPrefix(l[0], "device") {
			t.Errorf("launches and activities are tied as %v", links)
		}
	}
}

// modelled runs a program of two streams on modelled time and returns its recording.
func modelled(t *testing.T, m CostModel) ([]string, *Device) {
	m.Clock = NewClock()
	m.FLOPS, m.Bandwidth, m.Copy = 1e9, 1e9, 1e8
	m.Launch, m.Latency, m.Sync, m.Least = 5000, 1000, 2000, 500
	d := device(t, Options{Model: &m})
	r := recorder(t, rec.Options{Clock: m.Clock.Now})
	d.Profile(&Profile{Recorder: r})
	a, b := d.NewStream("a"), d.NewStream("b")
	host := rec.OnTrack(context.Background(), rec.NewTrack("host"))
	g := r.Range(host, "pipeline.diffuse")
	m.Clock.Advance(10 * time.Microsecond) // work of the host
	var order []string
	run := func(name string) func(*Kernel) { return func(*Kernel) { order = append(order, name) } }
	a.Launch(host, "big", Work{FLOPs: 40_000, Bytes: 100}, run("big"))
	a.Launch(host, "wide", Work{FLOPs: 10, Bytes: 7000}, run("wide"))
	e := a.Record(host)
	b.Wait(host, e)
	b.Launch(host, "copy", Work{Bytes: 100, Class: event.Copy}, run("copy"))
	b.Launch(host, "tiny", Work{}, run("tiny"))
	if err := d.Synchronize(host); err != nil {
		t.Fatal(err)
	}
	g.End()
	if took, ok := e.Elapsed(b.Record(host)); !ok && took < 0 {
		t.Errorf("elapsed %v", took)
	}
	if err := d.Synchronize(host); err != nil || strings.Join(order, " ") != "big wide copy tiny" {
		t.Errorf("%v, ran %v", err, order)
	}
	var out []string
	for _, e := range events(t, r) {
		if e.Start < 200_000 && e.Name != "deviceSynchronize" || e.Kind == event.Activity {
			out = append(out, fmt.Sprintf("%s %d+%d", e.Name, e.Start, e.Dur))
		}
	}
	return out, d
}

// TestCostModel pins the times of a program; they are the model's, on every machine.
func TestCostModel(t *testing.T) {
	got, d := modelled(t, CostModel{})
	// The host: 10 µs of work, 5 µs a launch. big: 40000 FLOP at 1e9/s = 40 µs,
	// 1 µs behind its launch; wide: 7000 bytes = 7 µs; the copy 1 µs at 1e8/s.
	want := `pipeline.diffuse 0+66500
deviceLaunchKernel 10000+5000
deviceLaunchKernel 15000+5000
deviceEventRecord 20000+0
deviceStreamWaitEvent 20000+0
deviceMemcpyAsync 20000+5000
deviceLaunchKernel 25000+5000
deviceEventRecord 66500+0
big 16000+40000
wide 56000+7000
copy 63000+1000
tiny 64000+500`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if s := d.streams[0].Stats(); s.Launched != 2 || s.Busy != 47_000 {
		t.Errorf("stream a: %+v", s)
	}
	again, _ := modelled(t, CostModel{})
	if strings.Join(again, "\n") != want {
		t.Error("a second run differs")
	}
}

// TestCostModelInjects makes one kernel slower, as a test of regressions does.
func TestCostModelInjects(t *testing.T) {
	got, _ := modelled(t, CostModel{Kernels: map[string]Cost{"wide": {Scale: 3}, "tiny": {Fixed: 9 * time.Microsecond}}})
	text := strings.Join(got, "\n")
	for _, want := range []string{"wide 56000+21000", "copy 77000+1000", "tiny 78000+9000", "pipeline.diffuse 0+89000"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
