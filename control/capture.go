package control

import (
	"context"
	"fmt"
)

// capture turns collectors on and off in the order that keeps a fault of one from
// the others.
type capture struct {
	gate       Switch
	sync       func() error
	collectors []Collector
	exporters  []Exporter

	prepared []Collector
	ready    bool // prepare succeeded
	on       bool // start was begun
	gateOn   bool
}

// prepare makes every collector ready. After a failure those before it are still
// to be stopped.
func (c *capture) prepare(run *Run) error {
	for _, k := range c.collectors {
		if err := guard(func() error { return k.Prepare(run) }); err != nil {
			return fmt.Errorf("prepare %s: %w", k.Name(), err)
		}
		c.prepared = append(c.prepared, k)
	}
	c.ready = true
	return nil
}

// start opens the gate, then starts every collector.
func (c *capture) start() error {
	c.on = true
	if c.gate != nil {
		c.gateOn = true // Off follows a failed On too: nobody knows how far it came
		if err := guard(c.gate.On); err != nil {
			return fmt.Errorf("open the gate: %w", err)
		}
	}
	for _, k := range c.prepared {
		if err := guard(k.Start); err != nil {
			return fmt.Errorf("start %s: %w", k.Name(), err)
		}
	}
	return nil
}

// stopped is the outcome of capture.stop.
type stopped struct {
	seen    Seen
	dropped map[string]int64
	device  error   // of the device, the request's own
	faults  []error // of the profiler
}

// stop idles the device, when something was recorded, and stops every collector,
// the last one first.
func (c *capture) stop() (out stopped) {
	if c.on && c.sync != nil {
		if err := guard(c.sync); err != nil {
			out.device = &DeviceError{err}
		}
	}
	for i := len(c.prepared) - 1; i >= 0; i-- {
		k := c.prepared[i]
		var seen Seen
		err := guard(func() (err error) { seen, err = k.Stop(); return err })
		if err != nil {
			out.faults = append(out.faults, fmt.Errorf("stop %s: %w", k.Name(), err))
		}
		out.seen.Events += seen.Events
		out.seen.DeviceEvents += seen.DeviceEvents
		out.seen.Dropped += seen.Dropped
		out.seen.Overhead += seen.Overhead
		if seen.Dropped > 0 {
			if out.dropped == nil {
				out.dropped = map[string]int64{}
			}
			out.dropped[k.Name()] += seen.Dropped
		}
	}
	c.prepared = nil
	return out
}

// export runs every exporter.
func (c *capture) export(ctx context.Context, run *Run) (faults []error) {
	for _, x := range c.exporters {
		if err := guard(func() error { return x.Export(ctx, run) }); err != nil {
			faults = append(faults, fmt.Errorf("export %s: %w", x.Name, err))
		}
	}
	return faults
}

// off closes the gate.
func (c *capture) off() error {
	if !c.gateOn {
		return nil
	}
	c.gateOn = false
	if err := guard(c.gate.Off); err != nil {
		return fmt.Errorf("close the gate: %w", err)
	}
	return nil
}

// guard calls f and makes an error of a panic: a profiler must not take the
// program with it.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
