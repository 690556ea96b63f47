package reelfile

import (
	"fmt"
	"time"
)

// Path returns the path of the file.
func (w *Writer) Path() string { return w.path }

// Clock returns the clock that record times are in.
func (w *Writer) Clock() *Clock { return w.clock }

// Sync asks the system to put what was written on the disk. Nothing but a loss
// of power makes that necessary.
func (w *Writer) Sync() error {
	w.growMu.Lock()
	defer w.growMu.Unlock()
	return w.store.sync()
}

// Close ends the recording. What is begun afterwards is dropped and counted;
// ranges that are open may still end. Closing twice does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	w.stop.Store(1 + uint32(countClosed))
	for _, c := range w.inUse {
		c.seal()
	}
	w.mu.Unlock()
	close(w.quit)
	<-w.done
	s := w.clock.sample()
	w.mu.Lock()
	w.addSample(0, s)
	w.setState(fileClosed)
	next := w.next
	w.mu.Unlock()
	w.growMu.Lock()
	defer w.growMu.Unlock()
	if err := w.store.finish(next, w); err != nil {
		return fmt.Errorf("record: close: %w", err)
	}
	return nil
}

// background makes room ahead of the recording goroutines and samples the clocks.
func (w *Writer) background() {
	defer close(w.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-w.wake:
		case <-tick.C:
			s := w.clock.sample()
			w.mu.Lock()
			w.addSample(0, s)
			w.mu.Unlock()
			w.stop.CompareAndSwap(1+uint32(countDisk), 0) // there may be room again
			if w.flight {
				w.stop.CompareAndSwap(1+uint32(countBound), 0)
			}
		}
		w.refill()
	}
}
