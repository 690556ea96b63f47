// Package startup measures where a cold start goes: nested phases such as
// component.vae > vae.checkpoint_read, with durations, failures and page faults.
//
// It is opt-in and local to a context: Collect begins, Phase records where a
// collector is in the context and costs one load where the process has none. It
// measures no compilation and no kernel warm-up, and shares no weights between
// processes.
package startup

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"reel/rec"
)

// Options says how a collector measures. The zero value takes host times.
type Options struct {
	// Sync idles the device; it is called as phases begin and end, so that a phase
	// holds its own device work. It must do nothing before the device is
	// initialised: otherwise the first call would take that out of its phase.
	Sync func() error
	// Faults counts the process's page faults in each phase.
	Faults bool
	// Origin is when the start-up began, where that was before Collect: when the
	// process was started.
	Origin time.Time
	// Clock tells the time; time.Now when nil.
	Clock func() time.Time
}

// Status says how a phase went.
type Status string

// The statuses.
const (
	Success Status = "success"
	Error   Status = "error"
	Open    Status = "open" // had not ended when the report was made
)

// Phase is one phase, as reports hold it.
type Phase struct {
	ID       int            `json:"id"`
	Parent   *int           `json:"parent_id"` // null at the root
	Name     string         `json:"name"`
	Start    int64          `json:"start_ns"`    // since the report's start
	Duration int64          `json:"duration_ns"` // phases within it included
	Status   Status         `json:"status"`
	Error    string         `json:"error,omitempty"`
	Attrs    map[string]any `json:"attrs,omitempty"`
}

// maxPhases bounds a collector; what comes later is counted.
const maxPhases = 100_000

// active counts the collectors of the process, so that a program without one pays
// a load.
var active atomic.Int64

// Collector gathers phases. Its methods may be called at the same time.
type Collector struct {
	opt    Options
	origin time.Time
	began  time.Time
	mu     sync.Mutex
	phases []*Running
	lost   int
	ended  time.Time // zero until Close
}

type key struct{}

// current is the collector of a context and the phase that it is in.
type current struct {
	c  *Collector
	in *Running // nil at the root
}

// Collect begins to collect the phases of the returned context. Close ends it.
// Contexts made before keep the collector they have, so that collectors nest.
func Collect(ctx context.Context, o Options) (context.Context, *Collector) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	now := o.Clock()
	c := &Collector{opt: o, began: now, origin: now}
	if !o.Origin.IsZero() && o.Origin.Before(now) {
		c.origin = o.Origin
	}
	active.Add(1)
	return context.WithValue(ctx, key{}, current{c: c}), c
}

// Close ends the collection. What begins later is not recorded. A second Close
// does nothing.
func (c *Collector) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.IsZero() {
		c.ended = c.opt.Clock()
		active.Add(-1)
	}
}

// Running is a phase that has begun; nil where nobody collects.
type Running struct {
	c      *Collector
	phase  Phase
	began  time.Time
	faults faults
	r      rec.Range
	done   bool
}

// Begin begins a phase within the context's. The returned context is for what
// happens in it. End must be called.
func Begin(ctx context.Context, name string) (context.Context, *Running) {
	if active.Load() == 0 {
		return ctx, nil
	}
	at, ok := ctx.Value(key{}).(current)
	if !ok {
		return ctx, nil
	}
	r := at.c.begin(ctx, name, at.in)
	if r == nil {
		return ctx, nil
	}
	return context.WithValue(ctx, key{}, current{at.c, r}), r
}

// Do runs f as a phase. Its error is f's, and is recorded.
func Do(ctx context.Context, name string, f func(context.Context) error) (err error) {
	ctx, p := Begin(ctx, name)
	defer func() {
		if v := recover(); v != nil {
			p.End(fmt.Errorf("panic: %v", v))
			panic(v)
		}
	}()
	err = f(ctx)
	return p.End(err)
}

func (c *Collector) begin(ctx context.Context, name string, in *Running) *Running {
	c.sync()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended.IsZero() {
		return nil
	}
	if len(c.phases) >= maxPhases {
		c.lost++
		return nil
	}
	r := &Running{c: c, phase: Phase{ID: len(c.phases), Name: name, Status: Open}}
	if in != nil {
		id := in.phase.ID
		r.phase.Parent = &id
	}
	c.phases = append(c.phases, r)
	r.r = rec.From(ctx).Range(ctx, name)
	if c.opt.Faults {
		r.faults = readFaults()
	}
	r.began = c.opt.Clock()
	r.phase.Start = int64(r.began.Sub(c.origin))
	return r
}

// sync idles the device. Its fault is one of the work that was under way, which
// finds out by itself.
func (c *Collector) sync() {
	if c.opt.Sync != nil {
		_ = c.opt.Sync()
	}
}

// Set adds an attribute to the phase: a size, a file's base name.
func (r *Running) Set(key string, value any) {
	if r == nil {
		return
	}
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if r.phase.Attrs == nil {
		r.phase.Attrs = map[string]any{}
	}
	r.phase.Attrs[key] = value
}

// End ends the phase, as failed when err is an error, and returns err. A second
// End does nothing.
func (r *Running) End(err error) error {
	if r == nil {
		return err
	}
	r.c.sync()
	now := r.c.opt.Clock()
	var f faults
	if r.c.opt.Faults {
		f = readFaults()
	}
	r.r.End()
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if r.done {
		return err
	}
	r.done = true
	r.phase.Duration = int64(now.Sub(r.began))
	r.phase.Status = Success
	if err != nil {
		r.phase.Status, r.phase.Error = Error, err.Error()
	}
	if r.c.opt.Faults && f.known {
		if r.phase.Attrs == nil {
			r.phase.Attrs = map[string]any{}
		}
		r.phase.Attrs["minor_faults"] = f.minor - r.faults.minor
		r.phase.Attrs["major_faults"] = f.major - r.faults.major
	}
	return err
}

// Add files a phase that somebody else measured, at the root: the time before
// main, for instance.
func (c *Collector) Add(name string, from, to time.Time, attrs map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := Phase{ID: len(c.phases), Name: name, Start: int64(from.Sub(c.origin)), Duration: int64(to.Sub(from)), Status: Success, Attrs: attrs}
	c.phases = append(c.phases, &Running{c: c, phase: p, done: true})
}

// Report returns what was collected so far. Phases that have not ended last until
// now.
func (c *Collector) Report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := c.ended
	if end.IsZero() {
		end = c.opt.Clock()
	}
	r := Report{Version: 1, Type: ArtifactType, Started: c.origin.UnixNano(), Duration: int64(end.Sub(c.origin)),
		Synchronized: c.opt.Sync != nil, Phases: []Phase{}}
	components := 0
	for _, p := range c.phases {
		x := p.phase
		if !p.done {
			x.Duration = max(0, int64(end.Sub(p.began)))
		}
		x.Attrs = clone(x.Attrs)
		if component(x.Name) {
			components++
		}
		r.Phases = append(r.Phases, x)
	}
	slices.SortStableFunc(r.Phases, func(a, b Phase) int { return int(min(1, max(-1, a.Start-b.Start))) })
	if c.lost > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d phases beyond the first %d were left out", c.lost, maxPhases))
	}
	if components == 0 && hadChildren() {
		r.Notes = append(r.Notes, "this process started others and loaded no component itself: workers need a collector of their own")
	}
	return r
}
