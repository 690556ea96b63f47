package rec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"reel/internal/rundir"
	"reel/window"
)

// Switch is the gate of an outer profiler, such as cudaProfilerStart and -Stop, which
// package rec/cuda has. A method Ready() error is asked before it is used.
type Switch interface {
	On() error
	Off() error
}

// Captured is a window that was recorded.
type Captured struct {
	Window window.Window
	Recorded
	Name string // what Export made, or was to make; "" without
}

// Capture is the window.Recorder of a Recorder alone: each window has a recording
// of its own. control.Windows is the one for programs with collectors of others.
// Opening goes outwards in: the gate of an outer profiler, the recording. Closing
// idles the device, ends the recording, exports it, closes the gate; each happens
// even if the one before failed.
type Capture struct {
	Recorder *Recorder    // nil leaves the outer gate alone
	Outer    Switch       // nil for none
	Sync     func() error // idles the device; nil for none
	// Name names the file of window k, counted over the process.
	Name func(w window.Window, k int) string
	// Export makes the file name of a recording; nil for none.
	Export func(recording, name string) error

	note *note // of the run; nil without

	mu      sync.Mutex
	k       int
	name    string
	outer   bool // is on
	refused bool // stayed off in a window that might be taken back
	running bool
	done    []Captured
	device  error
}

var _ window.Recorder = (*Capture)(nil)

// maxCaptured bounds the windows that Captured lists.
const maxCaptured = 4096

// Open begins the recording of a window.
func (c *Capture) Open(w window.Window) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	outer := c.Outer
	if outer != nil && w.Provisional {
		if c.Recorder == nil {
			return fmt.Errorf("outer profiler: %w", window.ErrLastUnknown)
		}
		outer, c.refused = nil, true
	}
	if outer != nil {
		if err := guard(c.Outer.On); err != nil {
			return errors.Join(fmt.Errorf("outer profiler: %w", err), guard(c.Outer.Off))
		}
		c.outer = true
	}
	if c.Recorder == nil {
		return nil
	}
	err := c.start(w)
	if err != nil {
		err = errors.Join(err, c.off())
	}
	c.running = err == nil
	return err
}

// maxSame bounds the search for a name that is free.
const maxSame = 10_000

// start begins the recording under a name that nothing has yet.
func (c *Capture) start(w window.Window) error {
	want := c.Name(w, c.k)
	stem, suffix := split(want)
	for i := 1; i < maxSame; i++ {
		name := want
		if i > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, i, suffix)
		}
		if _, err := os.Lstat(name); err == nil {
			continue
		}
		c.name = name
		base, _ := split(name)
		switch err := c.Recorder.Start(base + recordingSuffix); {
		case err == nil:
			c.describe(w)
			c.note.add(base+recordingSuffix, rundir.Recording, rundir.Source)
			return nil
		case !errors.Is(err, os.ErrExist):
			return err
		}
	}
	return fmt.Errorf("%s: %d files of that name lie there", want, maxSame)
}

// describe says in the recording which window it is of.
func (c *Capture) describe(w window.Window) {
	if s := c.Recorder.on(); s != nil {
		s.w.SetProp("window", w.String())
	}
}

// Close ends the recording of a window.
func (c *Capture) Close(w window.Window) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Sync != nil {
		if err := guard(c.Sync); err != nil {
			c.device = errors.Join(c.device, err)
		}
	}
	var faults []error
	if c.running {
		c.running = false
		got, err := c.Recorder.Stop()
		faults = append(faults, err)
		x := Captured{Window: w, Recorded: got}
		if c.Export != nil {
			x.Name = c.name
			faults = append(faults, guard(func() error { return c.Export(got.Path, c.name) }))
		}
		if len(c.done) < maxCaptured {
			c.done = append(c.done, x)
		}
		c.k++
	}
	return errors.Join(append(faults, c.off())...)
}

func (c *Capture) off() error {
	if !c.outer {
		return nil
	}
	c.outer = false
	return guard(c.Outer.Off)
}

// Discard removes what a window left that was not of the last loop.
func (c *Capture) Discard(w window.Window) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, x := range c.done {
		if x.Window != w {
			continue
		}
		os.Remove(x.Path) // what cannot be removed stays
		if x.Name != "" {
			os.Remove(x.Name)
		}
		c.done = append(c.done[:i], c.done[i+1:]...)
		return
	}
}

// Captured lists the windows that were recorded, in their order.
func (c *Capture) Captured() []Captured {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Captured(nil), c.done...)
}

// Faults returns what did not work although the window opened.
func (c *Capture) Faults() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused {
		return []error{fmt.Errorf("outer profiler: %w", window.ErrLastUnknown)}
	}
	return nil
}

// TakeDeviceError returns, once, the error of the device that came to light as a
// window closed.
func (c *Capture) TakeDeviceError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.device
	c.device = nil
	return err
}

// recordingSuffix ends the names of recordings.
const recordingSuffix = ".reel"

// clean takes a folder for a file in it.
func clean(path, file string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() || path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return filepath.Join(path, file)
	}
	return path
}
