package device

import (
	"context"

	"reel/event"
	"reel/rec"
)

// Profile says what of a device goes to a recording: launches, waits and activities
// always, the rest on request since each costs something.
type Profile struct {
	Recorder *rec.Recorder
	Shapes   bool // of the inputs of operators
	Stacks   bool // Go calls that led to operators
	FLOPs    bool // floating-point operations and bytes of activities
	Memory   bool // allocations and releases
}

// Profile sets what is recorded from now on; nil is nothing. Whether anything is
// recorded at an instant is the recorder's to say.
func (d *Device) Profile(p *Profile) {
	if p != nil {
		if p.Recorder == nil {
			p = nil
		} else {
			p = new(*p)
		}
	}
	d.prof.Store(p)
}

// profiling returns the profile while its recorder records, else nil.
func (d *Device) profiling() *Profile {
	if p := d.prof.Load(); p != nil && p.Recorder.On() {
		return p
	}
	return nil
}

// Profiling returns the profile that is in force while something is recorded, else
// nil: for operators, which record themselves.
func (s *Stream) Profiling() *Profile { return s.d.profiling() }

// The names of calls on the host.
const (
	callLaunch     = "deviceLaunchKernel"
	callCopy       = "deviceMemcpyAsync"
	callSet        = "deviceMemsetAsync"
	callRecord     = "deviceEventRecord"
	callWait       = "deviceStreamWaitEvent"
	callEventSync  = "deviceEventSynchronize"
	callStreamSync = "deviceStreamSynchronize"
	callDeviceSync = "deviceSynchronize"
)

func callOf(c event.Class) string {
	switch c {
	case event.Copy:
		return callCopy
	case event.Set:
		return callSet
	}
	return callLaunch
}

func isCopy(c event.Class) bool { return c == event.Copy || c == event.Set }

func nothing() {}

// call records a call of the host; its result ends it.
func (d *Device) call(ctx context.Context, name string) func() {
	if p := d.profiling(); p != nil {
		return p.Recorder.Call(ctx, name).End
	}
	return nothing
}

// report records an activity.
func (s *Stream) report(p *Profile, it item, start, end rec.Time) {
	a := rec.Activity{Name: it.name, Class: it.work.Class, Link: it.link, Start: uint64(start), Dur: uint64(max(end-start, 0))}
	if isCopy(it.work.Class) {
		a.Bytes = it.work.Bytes
	}
	if p.FLOPs && !isCopy(it.work.Class) {
		a.Args = []event.Arg{{Key: "flops", Num: uint64(it.work.FLOPs)}, {Key: "memory bytes", Num: uint64(it.work.Bytes)}}
	}
	p.Recorder.Activity(s.row, a)
}
