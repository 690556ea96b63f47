package control

import (
	"errors"
	"fmt"
	"time"
)

// State is where a Controller stands.
type State uint8

// The states.
const (
	Idle     State = iota // nothing was started, or it was called off
	Armed                 // started; iterations pass
	Warming               // collectors run, their events are thrown away
	Running               // recording
	Flushing              // collectors are stopped, artifacts are written
	Done                  // the last session is over, its artifacts are there
	Failed                // the last session failed; what it left is there
)

var stateNames = [...]string{"idle", "armed", "warming", "recording", "flushing", "done", "failed"}

// String returns the state's word.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// MarshalText writes the state's word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the state's word.
func (s *State) UnmarshalText(text []byte) error {
	for i, n := range stateNames {
		if n == string(text) {
			*s = State(i)
			return nil
		}
	}
	return fmt.Errorf("no state %q", text)
}

// Session describes one capture, as far as it has come.
type Session struct {
	ID        int        `json:"id"` // counted from 1
	State     State      `json:"state"`
	Run       string     `json:"run,omitempty"` // the run folder
	Started   time.Time  `json:"started,omitzero"`
	Ended     time.Time  `json:"ended,omitzero"`
	Unit      string     `json:"iteration_unit"`
	Seen      int        `json:"iterations_seen"`      // begun since the start
	Recorded  int        `json:"iterations_recorded"`  // recorded to their end
	Cancelled bool       `json:"cancelled,omitempty"`  // stopped before anything was recorded
	Auto      string     `json:"stopped_by,omitempty"` // why it stopped by itself
	Artifacts []Artifact `json:"artifacts"`
	Coverage  []string   `json:"coverage,omitempty"` // what was asked for and seen, in words
	Warnings  []string   `json:"warnings,omitempty"`
	Faults    []string   `json:"faults,omitempty"`       // of the profiler
	Device    string     `json:"device_error,omitempty"` // of the closing synchronise
}

// Status is where a Controller stands, with its latest session, if any.
type Status struct {
	App      string    `json:"app,omitempty"` // the program
	PID      int       `json:"pid,omitempty"`
	State    State     `json:"state"`
	Profiler string    `json:"profiler"`
	Session  *Session  `json:"session,omitempty"`
	Earlier  []Session `json:"earlier,omitempty"` // sessions before it, newest first
}

// ErrDisabled is returned by Start and Stop when no profiler is configured.
var ErrDisabled = errors.New("no profiler is configured: set profiler in profiler_config to torch or cuda")

// ErrClosed is returned by Start after Shutdown.
var ErrClosed = errors.New("the program is shutting down")

// StateError says that what was asked does not go in the present state.
type StateError struct {
	Op    string // start or stop
	State State
}

// Error names the operation and the state.
func (e *StateError) Error() string {
	if e.Op == "start" {
		return fmt.Sprintf("cannot start: a session is %s; stop it first", e.State)
	}
	return fmt.Sprintf("cannot stop: no session is running (state %s)", e.State)
}

// DeviceError is an error of the device that came to light when a session or
// window closed. It is the request's own, not the profiler's.
type DeviceError struct{ Err error }

// Error says what the device said.
func (e *DeviceError) Error() string { return "device: " + e.Err.Error() }

// Unwrap returns the device's error.
func (e *DeviceError) Unwrap() error { return e.Err }

// SessionError says that the profiler failed in a session: it lists what failed.
type SessionError struct{ Faults []string }

// Error joins the faults.
func (e *SessionError) Error() string {
	text := "profiler: "
	for i, f := range e.Faults {
		if i > 0 {
			text += "; "
		}
		text += f
	}
	return text
}
