package window

import "fmt"

// Unit is what a schedule counts.
type Unit uint8

// The units.
const (
	Requests     Unit = iota // one iteration is one request
	DenoiseSteps             // one iteration is one denoise step
)

// String returns the word of the configuration: request or step.
func (u Unit) String() string {
	if u == DenoiseSteps {
		return "step"
	}
	return "request"
}

// Schedule says which iterations of a session are recorded, in this order: Delay
// iterations pass; then, Repeat times over, Wait pass, Warmup run with the
// collectors on and their events thrown away, and Active are recorded. 0 means
// unused: an Active of 0 records until the session is stopped, a Repeat of 0
// goes round without end. Max stops the session by itself once so many
// iterations have been recorded, exactly.
type Schedule struct {
	Unit                                     Unit
	Delay, Wait, Warmup, Active, Repeat, Max int
}

// Check returns what is wrong with the schedule, naming the field.
func (s Schedule) Check() error {
	for _, f := range []struct {
		name  string
		value int
	}{{"delay_iterations", s.Delay}, {"wait_iterations", s.Wait}, {"warmup_iterations", s.Warmup},
		{"active_iterations", s.Active}, {"repeat", s.Repeat}, {"max_iterations", s.Max}} {
		if f.value < 0 || f.value > maxStep {
			return fmt.Errorf("%s: %d: want 0 (unused) to %d", f.name, f.value, maxStep)
		}
	}
	if s.Active == 0 && s.Repeat > 1 {
		return fmt.Errorf("repeat: %d: without active_iterations the first round never ends", s.Repeat)
	}
	return nil
}

// Phase is what a schedule wants of an iteration.
type Phase uint8

// The phases.
const (
	Off       Phase = iota // nothing runs
	Warming                // collectors run, their events are thrown away
	Recording              // events are kept
	Done                   // the schedule is over, for good
)

// Phase returns the phase of iteration i, counted from 0 since the start.
func (s Schedule) Phase(i int) Phase {
	i -= s.Delay
	if i < 0 {
		return Off
	}
	if s.Active == 0 {
		switch recorded := i - s.Wait - s.Warmup; {
		case i < s.Wait:
			return Off
		case recorded < 0:
			return Warming
		case s.Max > 0 && recorded >= s.Max:
			return Done
		}
		return Recording
	}
	cycle := s.Wait + s.Warmup + s.Active
	round, at := i/cycle, i%cycle
	in := at - s.Wait - s.Warmup // of the recorded ones in this round
	switch {
	case s.Repeat > 0 && round >= s.Repeat, s.Max > 0 && round*s.Active+max(in, 0) >= s.Max:
		return Done
	case at < s.Wait:
		return Off
	case in < 0:
		return Warming
	}
	return Recording
}
