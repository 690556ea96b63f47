package perfetto

// maxBins bounds the samples of the counter of a device's work.
const maxBins = 2000

// bins divides a span of time into equal parts and adds up the work in each.
type bins struct {
	any        bool
	start, end int64
	width      int64
	ns         []int64
	until      int64 // work is added up to here
}

// span takes a stretch of work into the span.
func (b *bins) span(start, end int64) {
	if !b.any || start < b.start {
		b.start = start
	}
	if !b.any || end > b.end {
		b.end = end
	}
	b.any = true
}

// lay makes the parts: 1, 2 or 5 times a power of ten, 10 us at least, and
// laid so that their borders are multiples of it. It reports false when there is
// no work, or none within a century.
func (b *bins) lay() bool {
	if length := b.end - b.start; !b.any || length < 0 || length > 1<<61 {
		return false
	}
	length := uint64(b.end - b.start)
	width := uint64(10_000)
	for k := 0; length/width >= maxBins; k++ {
		if k%3 == 1 {
			width = width / 2 * 5
		} else {
			width *= 2
		}
	}
	b.width = int64(width)
	b.start -= ((b.start % b.width) + b.width) % b.width
	b.until = b.start
	b.ns = make([]int64, uint64(b.end-b.start)/width+1)
	return true
}

// spend adds work that comes by start; what was covered before does not count again.
func (b *bins) spend(start, end int64) {
	for start = max(start, b.until); start < end; {
		k := (start - b.start) / b.width
		to := min(end, b.start+(k+1)*b.width)
		b.ns[k] += to - start
		start = to
	}
	b.until = max(b.until, end)
}

// each tells where the share of work changes, percent; it ends at 0.
func (b *bins) each(tell func(t int64, percent float64)) {
	last := -1.0
	for k, ns := range b.ns {
		if p := float64(ns) * 100 / float64(b.width); p != last {
			tell(b.start+int64(k)*b.width, p)
			last = p
		}
	}
	if last != 0 {
		tell(b.start+int64(len(b.ns))*b.width, 0)
	}
}
