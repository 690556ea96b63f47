package window

import (
	"errors"
	"fmt"
)

// Coverage says, for one thing that was asked for, how often it was seen.
type Coverage struct {
	Asked   string // as Parse reads it
	Entered int    // loops (for step ranges) or requests that had one, discarded ones not included
	Of      int    // loops or requests that could have had one
	Missed  string // why some had none: "loop 1 of request 0 had 10 steps"; "" otherwise
}

// report counts what a gate asked for and saw.
type report struct {
	list   []Coverage
	errors []error
	last   int // 1 + the request of the latest window that is no range of steps
}

// maxErrors bounds what a report keeps of a recorder that fails each time.
const maxErrors = 16

func (r *report) fail(err error) {
	if len(r.errors) < maxErrors {
		r.errors = append(r.errors, err)
	}
}

// refused notes that a window did not open; that the last loop is not known is said
// once.
func (r *report) refused(w Window, err error) {
	if !errors.Is(err, ErrLastUnknown) {
		r.fail(err)
		return
	}
	if c := r.of(w.Asked()); c.Missed == "" {
		c.Missed = "which loop is the last was not known before it ran"
		r.fail(err)
	}
}

func (r *report) of(asked string) *Coverage {
	for i := range r.list {
		if r.list[i].Asked == asked {
			return &r.list[i]
		}
	}
	r.list = append(r.list, Coverage{Asked: asked})
	return &r.list[len(r.list)-1]
}

// Asked returns what was asked for, as Parse reads it: the Asked of its Coverage.
func (w Window) Asked() string {
	if w.Mode == Steps {
		return w.Range.String()
	}
	return w.Mode.String()
}

func (r *report) entered(w Window) {
	if w.Mode != Steps {
		if r.last == w.Request+1 { // a second decode of the request
			return
		}
		r.last = w.Request + 1
	}
	r.of(w.Asked()).Entered++
}

func (r *report) discarded(w Window) { r.of(w.Asked()).Entered-- }

// loop notes a finished loop and the ranges that it was too short for.
func (r *report) loop(spec Spec, request, loop, steps int) {
	for _, x := range spec.Ranges {
		if x.Loop >= 0 && int(x.Loop) != loop || x.Loop == LastLoop {
			continue
		}
		c := r.of(x.String())
		c.Of++
		if x.To >= steps && c.Missed == "" {
			c.Missed = fmt.Sprintf("loop %d of request %d had %d steps", loop, request, steps)
		}
	}
}

// request notes a finished request and the loops that it lacked.
func (r *report) request(spec Spec, loops int) {
	switch spec.Mode {
	case All, Decode:
		r.of(spec.Mode.String()).Of++
	case PreDenoise, PostDenoise: // once in a process
		r.of(spec.Mode.String()).Of = 1
	}
	for _, x := range spec.Ranges {
		switch {
		case x.Loop == LastLoop:
			r.of(x.String()).Of++
		case x.Loop >= 0 && int(x.Loop) >= loops:
			if c := r.of(x.String()); c.Missed == "" {
				c.Missed = fmt.Sprintf("a request had %d loops", loops)
			}
		}
	}
}

// Report returns what was asked for and seen so far, and the recorder's faults.
func (g *Gate) Report() ([]Coverage, []error) {
	list := append([]Coverage(nil), g.report.list...)
	if g.spec.Mode == Steps {
		for _, x := range g.spec.Ranges { // what no loop ever came to
			found := false
			for _, c := range list {
				found = found || c.Asked == x.String()
			}
			if !found {
				list = append(list, Coverage{Asked: x.String(), Missed: "no loop ran"})
			}
		}
	}
	return list, append([]error(nil), g.report.errors...)
}
