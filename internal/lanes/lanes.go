// Package lanes lays intervals out in rows without overlap and says, for any
// stretch of time, how much of each column of pixels they cover: what a picture of a
// timeline needs at any zoom, at a cost bounded by the pixels.
//
// It draws nothing, names nothing and knows no colours.
package lanes

// Columns are the intervals that lanes refer to, by their position: starts and
// lengths, ns. Negative lengths count as none. Lanes see starts less Base, so that
// times since 1970 do not lose their last digits in a float.
type Columns struct {
	Start, Dur []int64
	Base       int64
}

func (c *Columns) end(id int32) int64 { return c.Start[id] - c.Base + max(c.Dur[id], 0) }

// Lane is one row: intervals by start, of which none overlap.
type Lane struct {
	cols *Columns
	ids  []int32

	// Of each block of intervals: the first start, the sum of the lengths before it,
	// and its longest; of each block of blocks the last of these again.
	starts, sums []int64
	longest, top []longest
}

// longest is an interval's position, and its length beside it: reaching for it in the
// columns would cost more than all else.
type longest struct {
	dur int64
	at  int32
}

const (
	block = 16
	wide  = block * block
)

// MaxLanes bounds the lanes of a stack: deeper intervals are not shown.
const MaxLanes = 512

// Stack lays intervals out: each in the first lane that is free at its start, so that
// nested intervals stand below what holds them. ids come by start, longest first.
// lost counts those for which there was no lane.
func Stack(c *Columns, ids []int32) (lanes []*Lane, lost int) {
	place := make([]uint16, len(ids))
	var free []int64 // of each lane, when it is
	var count []int
	for k, id := range ids {
		start, n := c.Start[id]-c.Base, 0
		for n < len(free) && free[n] > start {
			n++
		}
		if n == MaxLanes {
			place[k] = MaxLanes
			lost++
			continue
		}
		if n == len(free) {
			free, count = append(free, 0), append(count, 0)
		}
		free[n] = c.end(id)
		count[n]++
		place[k] = uint16(n)
	}
	for _, n := range count {
		lanes = append(lanes, &Lane{cols: c, ids: make([]int32, 0, n)})
	}
	for k, id := range ids {
		if n := place[k]; n < MaxLanes {
			lanes[n].ids = append(lanes[n].ids, id)
		}
	}
	for _, l := range lanes {
		l.index()
	}
	return lanes, lost
}

// index prepares the sums and the search for the longest.
func (l *Lane) index() {
	blocks := (len(l.ids) + block - 1) / block
	l.starts, l.sums, l.longest = make([]int64, blocks), make([]int64, blocks), make([]longest, blocks)
	l.top = make([]longest, (blocks+block-1)/block)
	var sum int64
	for b := range blocks {
		lo, hi := b*block, min((b+1)*block, len(l.ids))
		l.starts[b], l.sums[b] = l.start(lo), sum
		best := longest{-1, 0}
		for i := lo; i < hi; i++ {
			d := l.dur(i)
			sum += d
			best = best.or(longest{d, int32(i)})
		}
		l.longest[b] = best
		if t := b / block; b%block == 0 {
			l.top[t] = best
		} else {
			l.top[t] = l.top[t].or(best)
		}
	}
}

// Len returns the number of intervals.
func (l *Lane) Len() int { return len(l.ids) }

// ID returns the interval at position i.
func (l *Lane) ID(i int) int32 { return l.ids[i] }

func (l *Lane) start(i int) int64 { return l.cols.Start[l.ids[i]] - l.cols.Base }
func (l *Lane) dur(i int) int64   { return max(l.cols.Dur[l.ids[i]], 0) }
func (l *Lane) end(i int) int64   { return l.cols.end(l.ids[i]) }

// from returns the position of the first interval that starts at t or later.
func (l *Lane) from(t float64) int {
	lo, hi := 0, len(l.starts)
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); float64(l.starts[m]) < t {
			lo = m + 1
		} else {
			hi = m
		}
	}
	lo = max(0, lo-1) * block
	hi = min(lo+block, len(l.ids))
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); float64(l.start(m)) < t {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// before returns the sum of the lengths of the intervals before position i.
func (l *Lane) before(i int) int64 {
	b := i / block
	var sum int64
	if b < len(l.sums) {
		sum = l.sums[b]
	} else if b > 0 {
		b--
		sum = l.sums[b]
	}
	for k := b * block; k < i; k++ {
		sum += l.dur(k)
	}
	return sum
}

// longestOf returns the longest of the intervals [lo, hi), the first of equals; lo < hi.
func (l *Lane) longestOf(lo, hi int) longest {
	best := longest{-1, 0}
	for i := lo; i < hi; {
		switch {
		case i%wide == 0 && i+wide <= hi:
			best, i = best.or(l.top[i/wide]), i+wide
		case i%block == 0 && i+block <= hi:
			best, i = best.or(l.longest[i/block]), i+block
		default:
			best, i = best.or(longest{l.dur(i), int32(i)}), i+1
		}
	}
	return best
}

// or is the longer one, the first of equals.
func (a longest) or(b longest) longest {
	if b.dur > a.dur {
		return b
	}
	return a
}

// At returns the interval that lasts at instant t or, where there is none, the
// longest that begins within [t, t+width); ok is false when there is neither.
func (l *Lane) At(t, width float64) (id int32, ok bool) {
	i := l.from(t)
	if i > 0 && float64(l.end(i-1)) > t {
		return l.ids[i-1], true
	}
	if j := l.from(t + width); j > i {
		return l.ids[l.longestOf(i, j).at], true
	}
	if i < len(l.ids) && float64(l.start(i)) == t {
		return l.ids[i], true
	}
	return 0, false
}

// Holds reports whether the lane holds interval id, which starts at t.
func (l *Lane) Holds(id int32, t float64) bool {
	for i := l.from(t); i < len(l.ids) && float64(l.start(i)) == t; i++ {
		if l.ids[i] == id {
			return true
		}
	}
	return false
}

// Among counts the intervals that have a part in [t, t+width).
func (l *Lane) Among(t, width float64) int {
	i, j := l.from(t), l.from(t+width)
	if i > 0 && float64(l.end(i-1)) > t {
		i--
	}
	return j - i
}
