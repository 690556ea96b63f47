package rec

import (
	"context"
	"math/bits"

	"reel/event"
	"reel/reelfile"
)

// Range begins a range on the context's track. Off, it costs a load and a branch.
func (r *Recorder) Range(ctx context.Context, name string) (g Range) {
	if r.active.Load() != 0 {
		g.o = new(open)
		r.begin(ctx, name, g.o)
	}
	return
}

func (r *Recorder) begin(ctx context.Context, name string, o *open) {
	s := r.sink.Load()
	if s == nil { // it stopped this moment
		return
	}
	b, ok := ctx.(*binding)
	if !ok {
		b = lookup(ctx)
	}
	if r.slow {
		r.beginSlow(ctx, s, b.track, s.desc(name), 0, RoleOf(name), name, o)
		return
	}
	h := s.main
	if t := b.track; t != nil {
		if x := t.cur.Load(); x != nil && x.s == s {
			h = x.t
		} else {
			h = s.bind(t)
		}
	}
	d := s.desc(name)
	o.clock = s.clock
	h.BeginTo(&o.slot, d, 0, s.clock.Now())
}

// pooled is a Recorder behind the Profiler interface, where the compiler cannot see
// that an open stays in the caller's frame.
type pooled struct{ *Recorder }

// direct puts the pool between p and those who call it as an interface.
func direct(p Profiler) Profiler {
	if r, ok := p.(*Recorder); ok {
		return pooled{r}
	}
	return p
}

func (p pooled) Range(ctx context.Context, name string) Range {
	if p.on() == nil {
		return Range{}
	}
	o, g := newRange()
	p.begin(ctx, name, o)
	return g
}

// RangeAs begins a range with a role, an index, or both.
func (r *Recorder) RangeAs(ctx context.Context, l Label) Range {
	s := r.on()
	if s == nil {
		return Range{}
	}
	d, arg, role := s.desc(l.Name), int64(0), l.Role
	if role != event.NoRole {
		d = reelfile.Of(reelfile.Range, s.w.Intern(l.Name)).Role(role)
	} else {
		role = RoleOf(l.Name)
	}
	if l.Indexed {
		d, arg = d.With(reelfile.Index), int64(l.Index)
	}
	o, g := newRange()
	if r.slow {
		r.beginSlow(ctx, s, TrackOf(ctx), d, arg, role, l.Name, o)
		return g
	}
	o.clock = s.clock
	s.handle(TrackOf(ctx)).BeginTo(&o.slot, d, arg, s.clock.Now())
	return g
}

// scale turns nanoseconds into ticks.
func scale(ns, hz uint64) uint64 {
	hi, lo := bits.Mul64(ns, hz)
	if hi >= 1e9 {
		return 1<<64 - 1
	}
	q, _ := bits.Div64(hi, lo, 1e9)
	return q
}
