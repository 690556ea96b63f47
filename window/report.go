package window

import "fmt"

// Coverage says, for one thing that was asked for, how often it was seen.
type Coverage struct {
	Asked   string // as Parse reads it
	Entered int    // windows opened for it, discarded ones not included
	Of      int    // loops (for step ranges), decode-carrying requests or requests that could have had one
	Missed  string // why some had none: "loop 1 of request 0 had 10 steps"; "" otherwise
}

// report counts what a gate asked for and saw.
type report struct {
	list   []Coverage
	errors []error
}

// maxErrors bounds what a report keeps of a recorder that fails each time.
const maxErrors = 16

func (r *report) fail(err error) {
	if len(r.errors) < maxErrors {
		r.errors = append(r.errors, err)
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

func asked(w Window) string {
	if w.Mode == Steps {
		return w.Range.String()
	}
	return w.Mode.String()
}

func (r *report) entered(w Window)   { r.of(asked(w)).Entered++ }
func (r *report) discarded(w Window) { r.of(asked(w)).Entered-- }

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
	if spec.Mode != Steps && spec.Mode != Unset {
		r.of(spec.Mode.String()).Of++
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
