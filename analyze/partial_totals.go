package analyze

import "reel/internal/sketch"

// totals are the measures over all ranks of a partial, in a form that adds up.
type totals struct {
	Device *DeviceTotals     `json:"device,omitempty"`
	Steps  *times            `json:"steps,omitempty"`
	Stages map[string]*times `json:"stages,omitempty"` // by the stage's name
}

// times are how long steps, or runs of a stage, took.
type times struct {
	CPU     *sketch.Sketch `json:"cpu"`
	GPUBusy *sketch.Sketch `json:"gpu_busy,omitempty"` // of those on a measured device
}

// DeviceTotals are exact sums and extremes over the ranks whose device was
// measured: each Tally is over the ranks' values of that name, see GPU.
type DeviceTotals struct {
	Ranks        int64 `json:"ranks"`
	Activities   int64 `json:"activities"`
	Unattributed int64 `json:"unattributed"`
	Span         Tally `json:"span"`
	Busy         Tally `json:"busy"`
	Compute      Tally `json:"compute"`
	Comm         Tally `json:"comm"`
	Copy         Tally `json:"copy"`
	ExposedComm  Tally `json:"exposed_comm"`
	ExposedCopy  Tally `json:"exposed_copy"`
	Idle         Tally `json:"idle"`
}

// Tally is the exact sum and extremes of a duration, ns. Sums stay at the
// largest int64 rather than pass it.
type Tally struct {
	Sum int64 `json:"sum_ns"`
	Min int64 `json:"min_ns"`
	Max int64 `json:"max_ns"`
}

// tallies returns all tallies of d.
func (d *DeviceTotals) tallies() [8]*Tally {
	return [...]*Tally{&d.Span, &d.Busy, &d.Compute, &d.Comm, &d.Copy, &d.ExposedComm, &d.ExposedCopy, &d.Idle}
}

// add adds what one rank measured.
func (t *totals) add(s *RankSummary) {
	if g := s.GPU; g != nil {
		one := DeviceTotals{Ranks: 1, Activities: int64(g.Activities), Unattributed: int64(g.Unattributed)}
		values := [...]int64{g.Span, g.Busy, g.Compute, g.Comm, g.Copy, g.ExposedComm, g.ExposedCopy, g.Idle}
		for i, y := range one.tallies() {
			*y = Tally{values[i], values[i], values[i]}
		}
		t.addDevice(&one)
	}
	for i := range s.Steps {
		if t.Steps == nil {
			t.Steps = &times{CPU: &sketch.Sketch{}}
		}
		t.Steps.add(s.Steps[i].CPU, s.Steps[i].GPUBusy)
	}
	for i := range s.Stages {
		t.stage(s.Stages[i].Stage).add(s.Stages[i].CPU, s.Stages[i].GPUBusy)
	}
}

func (t *totals) stage(name string) *times {
	if t.Stages == nil {
		t.Stages = map[string]*times{}
	}
	x := t.Stages[name]
	if x == nil {
		x = &times{CPU: &sketch.Sketch{}}
		t.Stages[name] = x
	}
	return x
}

func (x *times) add(cpu int64, gpu *int64) {
	x.CPU.Add(cpu)
	if gpu != nil {
		if x.GPUBusy == nil {
			x.GPUBusy = &sketch.Sketch{}
		}
		x.GPUBusy.Add(*gpu)
	}
}

func (t *totals) addDevice(o *DeviceTotals) {
	if t.Device == nil {
		c := *o
		t.Device = &c
		return
	}
	d := t.Device
	d.Ranks = sketch.Plus(d.Ranks, o.Ranks)
	d.Activities = sketch.Plus(d.Activities, o.Activities)
	d.Unattributed = sketch.Plus(d.Unattributed, o.Unattributed)
	from := o.tallies()
	for i, y := range d.tallies() {
		*y = Tally{sketch.Plus(y.Sum, from[i].Sum), min(y.Min, from[i].Min), max(y.Max, from[i].Max)}
	}
}

// merge adds what o holds; o does not change and is not kept.
func (t *totals) merge(o *totals) {
	if o.Device != nil {
		t.addDevice(o.Device)
	}
	if o.Steps != nil {
		if t.Steps == nil {
			t.Steps = &times{CPU: &sketch.Sketch{}}
		}
		t.Steps.merge(o.Steps)
	}
	for name, x := range o.Stages {
		t.stage(name).merge(x)
	}
}

func (x *times) merge(o *times) {
	x.CPU.Merge(o.CPU)
	if o.GPUBusy != nil {
		if x.GPUBusy == nil {
			x.GPUBusy = &sketch.Sketch{}
		}
		x.GPUBusy.Merge(o.GPUBusy)
	}
}

// clone returns a copy that shares nothing with t.
func (t *totals) clone() totals {
	var c totals
	c.merge(t)
	return c
}
