package control

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"reel/window"
)

// Windows records the windows of a request: it is the window.Recorder that keeps a
// fault of the profiler out of the request. It closes a window as a Controller
// closes a session: idle the device, stop the collectors, export, close the gate,
// each even if the one before failed. Its fields are set before it is used.
type Windows struct {
	Run        Run // of all windows; collectors and exporters see it with the window
	Collectors []Collector
	Exporters  []Exporter
	Gate       Switch       // of an outer profiler, nil for none
	Sync       func() error // idles the device, nil for none
	// Drop removes what a provisional window left that was not of the last loop.
	// Without it such windows are refused, and to a gate in any case:
	// window.ErrLastUnknown.
	Drop func(window.Window) error

	capt   capture
	run    Run
	mu     sync.Mutex
	device error
	faults []error
	sums   map[string]Seen        // by what was asked for
	maybe  map[window.Window]Seen // provisional windows of the latest request
}

var _ window.Recorder = (*Windows)(nil)

// Open opens the gate and starts the collectors. When one fails, all are stopped
// and the window stays closed; the next one is tried afresh.
func (w *Windows) Open(win window.Window) error {
	w.run = w.Run
	w.run.Window = &win
	w.capt = capture{gate: w.Gate, sync: w.Sync, collectors: w.Collectors, exporters: w.Exporters}
	if win.Provisional {
		if w.Drop == nil {
			return window.ErrLastUnknown
		}
		if w.capt.gate != nil {
			w.capt.gate = nil
			w.refuse()
		}
	}
	err := w.capt.prepare(&w.run)
	if err == nil {
		err = w.capt.start()
	}
	if err == nil {
		return nil
	}
	out := w.capt.stop()
	w.keep(out.device)
	return errors.Join(append(append([]error{err}, out.faults...), w.capt.off())...)
}

// Close closes what Open opened. Its error holds the faults of the profiler; one
// of the device is the request's and waits in TakeDeviceError.
func (w *Windows) Close(win window.Window) error {
	w.run.Window = &win
	out := w.capt.stop()
	w.keep(out.device)
	w.add(win, out.seen)
	faults := append(out.faults, w.capt.export(context.Background(), &w.run)...)
	return errors.Join(append(faults, w.capt.off())...)
}

// Discard drops a provisional window.
func (w *Windows) Discard(win window.Window) {
	w.mu.Lock()
	seen := w.maybe[win]
	delete(w.maybe, win)
	w.mu.Unlock()
	w.add(win, Seen{Events: -seen.Events, DeviceEvents: -seen.DeviceEvents})
	if w.Drop != nil {
		// What cannot be removed stays beside the run; the request does not care.
		_ = guard(func() error { return w.Drop(win) })
	}
}

// refuse notes, once, that the gate stayed closed.
func (w *Windows) refuse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.faults) == 0 {
		w.faults = append(w.faults, fmt.Errorf("outer profiler: %w", window.ErrLastUnknown))
	}
}

// Faults returns what did not work although the window opened.
func (w *Windows) Faults() []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]error(nil), w.faults...)
}

func (w *Windows) keep(err error) {
	if err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.device = errors.Join(w.device, err)
}

// TakeDeviceError returns, once, the device errors that came to light as windows
// closed. A request's scope returns it as the request's own.
func (w *Windows) TakeDeviceError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.device
	w.device = nil
	return err
}

// add adds what was seen to the sum of what was asked for.
func (w *Windows) add(win window.Window, seen Seen) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sums == nil {
		w.sums, w.maybe = map[string]Seen{}, map[window.Window]Seen{}
	}
	asked := win.Asked()
	sum := w.sums[asked]
	sum.Events += seen.Events
	sum.DeviceEvents += seen.DeviceEvents
	w.sums[asked] = sum
	for old := range w.maybe {
		if old.Request != win.Request {
			delete(w.maybe, old)
		}
	}
	if win.Provisional && seen.Events >= 0 {
		w.maybe[win] = seen
	}
}

// Coverage joins what the gate asked for and entered with the events that the
// collectors saw.
func (w *Windows) Coverage(report []window.Coverage) []Coverage {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]Coverage, len(report))
	for i, r := range report {
		unit := "loops"
		switch r.Asked {
		case window.All.String(), window.PreDenoise.String(), window.PostDenoise.String(), window.Decode.String():
			unit = "requests"
		}
		seen := w.sums[r.Asked]
		out[i] = Coverage{Asked: "window " + r.Asked, Entered: r.Entered, Of: r.Of, Unit: unit, Events: seen.Events, DeviceEvents: seen.DeviceEvents, Missed: r.Missed}
	}
	return out
}
