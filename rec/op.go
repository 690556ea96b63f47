package rec

import (
	"context"

	"reel/event"
	"reel/reelfile"
)

// Op begins the range of an operator of a framework: what launches kernels lies in
// it. Arguments say more: "Input Dims" as raw JSON and "Call stack" are those that
// reports know.
func (r *Recorder) Op(ctx context.Context, name string, args ...event.Arg) Range {
	return r.classed(ctx, event.Op, name, args)
}

// Call begins the range of a call into a device's runtime that starts no work: a
// wait, say. Launch is for those that do.
func (r *Recorder) Call(ctx context.Context, name string) Range {
	return r.classed(ctx, event.Runtime, name, nil)
}

func (r *Recorder) classed(ctx context.Context, c event.Class, name string, args []event.Arg) Range {
	s := r.on()
	if s == nil {
		return Range{}
	}
	d := reelfile.Of(reelfile.Range, s.w.Intern(name)).Class(c)
	o, g := newRange()
	o.clock = s.clock
	h := s.handle(TrackOf(ctx))
	if len(args) == 0 {
		h.BeginTo(&o.slot, d, 0, s.clock.Now())
		return g
	}
	list := s.args(args) // before the time is read
	o.slot = h.BeginArgs(d, 0, s.clock.Now(), list...)
	return g
}

// args turns arguments into those of the recording.
func (s *sink) args(list []event.Arg) []reelfile.Arg {
	out := make([]reelfile.Arg, 0, len(list)+1)
	for _, a := range list {
		key := s.w.Intern(a.Key)
		switch a.Kind {
		case event.ArgInt:
			out = append(out, reelfile.IntArg(key, int64(a.Num)))
		case event.ArgFloat:
			f, _ := a.Float()
			out = append(out, reelfile.FloatArg(key, f))
		case event.ArgRaw:
			out = append(out, reelfile.RawArg(key, s.w.Intern(a.Text)))
		default:
			out = append(out, reelfile.TextArg(key, s.w.Intern(a.Text)))
		}
	}
	return out
}

// Memory is an allocation or a release.
type Memory struct {
	Bytes     int64  // above 0 allocated, below 0 released
	Addr      uint64 // of it
	Device    int64  // whose memory it is
	Host      bool   // the host's memory, not a device's
	Allocated int64  // bytes in use afterwards
	Reserved  int64  // bytes that the allocator holds afterwards
}

// memoryName names marks of memory, as PyTorch's profiler does.
const memoryName = "[memory]"

// Memory writes an allocation or a release on the context's track.
func (r *Recorder) Memory(ctx context.Context, m Memory) {
	s := r.on()
	if s == nil {
		return
	}
	class := event.DeviceMemory
	if m.Host {
		class = event.HostMemory
	}
	in := s.w.Intern
	d := reelfile.Of(reelfile.Mark, in(memoryName)).Class(class).With(reelfile.Value)
	s.handle(TrackOf(ctx)).WriteArgs(d, m.Bytes, s.clock.Now(), 0, reelfile.IntArg(in("Addr"), int64(m.Addr)),
		reelfile.IntArg(in("Device Id"), m.Device), reelfile.IntArg(in("Total Allocated"), m.Allocated),
		reelfile.IntArg(in("Total Reserved"), m.Reserved))
}
