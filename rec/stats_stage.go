package rec

import (
	"context"
	"strings"
	"sync"
)

// timerTable holds the stage timers of each Stats under one scope; with the scope
// goes what was not collected.
type timerTable struct {
	mu sync.Mutex
	of map[*Stats]*stageTimers
}

// stageTimers are stages in a row: each lasts from the end of the one before, so
// that together they are the whole.
type stageTimers struct {
	mark   Time // end of the latest stage, start of the first
	began  bool
	ms     map[string]float64
	stamps []stageStamp // of stages that the device has not been waited for
}

// stageStamp is the end of a stage on the device.
type stageStamp struct {
	stage string
	at    func() Time
}

func (t *timerTable) with(s *Stats, f func(*stageTimers)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[*Stats]*stageTimers{}
	}
	x := t.of[s]
	if x == nil {
		x = &stageTimers{ms: map[string]float64{}}
		t.of[s] = x
	}
	f(x)
}

func (s *Stats) table(ctx context.Context) *timerTable {
	if scope := StagesOf(ctx); scope != nil {
		return &scope.timers
	}
	return &s.timers
}

// Range times ranges named pipeline.*, whose stage is the rest of the name. The
// time between two stages is part of the later one. A stage that comes a second
// time before it is collected starts anew: the step before failed.
func (s *Stats) Range(ctx context.Context, name string) Range {
	return s.RangeAs(ctx, Label{Name: name})
}

// RangeAs is Range.
func (s *Stats) RangeAs(ctx context.Context, l Label) Range {
	stage, ok := strings.CutPrefix(l.Name, stagePrefix)
	if !ok || s.opt.NoStages {
		return Range{}
	}
	t := s.table(ctx)
	fresh := false
	t.with(s, func(x *stageTimers) {
		_, again := x.ms[stage]
		for _, st := range x.stamps {
			again = again || st.stage == stage
		}
		if fresh = again || !x.began; fresh {
			clear(x.ms)
			x.stamps = nil
		}
	})
	now := Time(0)
	if fresh {
		now = s.now()
	}
	t.with(s, func(x *stageTimers) {
		if fresh {
			x.mark, x.began = now, true
		}
	})
	return RangeOf(&stageEnd{ctx, s, t, stage})
}

// stageEnd ends a stage.
type stageEnd struct {
	ctx   context.Context
	s     *Stats
	t     *timerTable
	stage string
}

func (e *stageEnd) End() {
	if e.s.stamped() {
		at := e.s.opt.Stamp(e.ctx)
		e.t.with(e.s, func(x *stageTimers) { x.stamps = append(x.stamps, stageStamp{e.stage, at}) })
		return
	}
	now := e.s.now()
	took := Time(0)
	e.t.with(e.s, func(x *stageTimers) {
		took = max(now-x.mark, 0)
		x.ms[e.stage] += float64(took) / 1e6
		x.mark = now
	})
	e.s.add(e.stage, took)
}

// CollectStageMS returns the milliseconds of each stage of the context's scope and
// forgets them: a second call returns nothing.
func (s *Stats) CollectStageMS(ctx context.Context) (ms map[string]float64) {
	if s.stamped() {
		s.settle(s.table(ctx))
	}
	s.table(ctx).with(s, func(x *stageTimers) {
		if len(x.ms) > 0 {
			ms = x.ms
		}
		*x = stageTimers{ms: map[string]float64{}}
	})
	return ms
}

// stamped reports whether stages are timed on the device.
func (s *Stats) stamped() bool { return s.opt.Sync != nil && s.opt.Stamp != nil }

// settle waits for the device and turns stamps into times: each stage lasts from the
// end of the one before.
func (s *Stats) settle(t *timerTable) {
	var stamps []stageStamp
	var mark Time
	t.with(s, func(x *stageTimers) { stamps, mark = x.stamps, x.mark })
	if len(stamps) == 0 {
		return
	}
	s.now()
	for _, st := range stamps {
		at := st.at()
		took := max(at-mark, 0)
		t.with(s, func(x *stageTimers) { x.ms[st.stage] += float64(took) / 1e6 })
		s.add(st.stage, took)
		mark = max(mark, at)
	}
	t.with(s, func(x *stageTimers) { x.stamps = nil })
}
