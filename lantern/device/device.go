package device

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Options says what a device is like. The zero value uses all cores.
type Options struct {
	ID     int64      // the device's number in recordings
	Cores  int        // goroutines that may work on kernels at a time; 0 is GOMAXPROCS
	Queue  int        // launches that a stream holds before Launch waits; 0 is 1024
	Memory int64      // bytes that may be reserved; 0 is 16 GiB
	Model  *CostModel // modelled time; nil measures it

	// Slow makes kernels, by name, take so many times as long: it is how a test plants a
	// regression. A device of modelled time has CostModel.Kernels for that.
	Slow map[string]float64
}

// Device is the device. Its methods may be called at the same time.
type Device struct {
	opt   Options
	pool  *pool
	mem   *allocator
	model *timing // nil when time is measured
	prof  atomic.Pointer[Profile]

	mu      sync.Mutex
	streams []*Stream
	closed  bool
}

// New makes a device.
func New(opt Options) *Device {
	if opt.Cores <= 0 {
		opt.Cores = runtime.GOMAXPROCS(0)
	}
	if opt.Queue <= 0 {
		opt.Queue = 1024
	}
	if opt.Memory <= 0 {
		opt.Memory = 16 << 30
	}
	d := &Device{opt: opt, pool: newPool(opt.Cores - 1), mem: newAllocator(opt.Memory)}
	if opt.Model != nil {
		d.model = newTiming(*opt.Model)
	}
	return d
}

// ID returns the device's number.
func (d *Device) ID() int64 { return d.opt.ID }

// Cores returns how many goroutines may work on kernels at a time.
func (d *Device) Cores() int { return d.opt.Cores }

// Synchronize waits until all streams are idle, and returns what went wrong on them
// since they were last synchronised.
func (d *Device) Synchronize(ctx context.Context) error {
	end := d.call(ctx, callDeviceSync)
	defer end()
	d.mu.Lock()
	list := slices.Clone(d.streams)
	d.mu.Unlock()
	var all []error
	for _, s := range list {
		all = append(all, s.drain())
	}
	if d.model != nil {
		d.model.syncAll(list)
	}
	return errors.Join(all...)
}

// Close waits for the work under way and ends the workers. The device is of no use
// afterwards: what is launched then is an ErrClosed at the next synchronisation.
func (d *Device) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	list := d.streams
	d.mu.Unlock()
	var all []error
	for _, s := range list {
		all = append(all, s.drain())
		s.close()
	}
	d.pool.close()
	return errors.Join(all...)
}

// ErrClosed is the error of work that is launched on a closed device.
var ErrClosed = errors.New("device: the device is closed")

// Error is what went wrong in a kernel. It comes to light at a synchronisation; the
// kernels that follow on the stream are skipped until then.
type Error struct {
	Kernel string
	Stream string
	Cause  any // what the kernel panicked with
	Calls  string
}

// Error names the kernel, the stream and the cause.
func (e *Error) Error() string {
	return fmt.Sprintf("device: kernel %s on stream %s: %v", e.Kernel, e.Stream, e.Cause)
}

// Unwrap returns the cause where it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Cause.(error)
	return err
}
