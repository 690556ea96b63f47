package reelfile

import "sync/atomic"

// Held returns how many events the recording holds at present, and how many of them
// are activities of devices: without what was dropped, and in a flight recorder
// without what was recycled. It looks at each record once.
func (w *Writer) Held() (events, activities int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.inUse {
		n := c.used
		if !c.sealed {
			n = min(c.n.Load(), uint32(len(c.rec)))
		}
		for i := range n {
			r := &c.rec[i]
			if state := atomic.LoadUint64(&r.word) & 3; state != slotOpen && state != slotDone {
				continue
			}
			switch Desc(r.what).kind() {
			case ext, meta, flow:
			case Activity:
				activities++
				events++
			default:
				events++
			}
		}
	}
	return events, activities
}
