package analyze

import (
	"sort"

	"reel/event"
	"reel/timeline"
)

// opsMemory answers how much was allocated, less what was released, within an
// interval. Like torch.profiler it goes by time alone: what any thread allocates
// while a range is open counts to it.
type opsMemory struct {
	at                 []int64    // ns, ascending: the marks of allocations and releases
	sum                []opsBytes // sum[i] is of the first i marks
	open               []int      // open[i]: how many more outermost ranges hold mark i than mark i-1
	hasHost, hasDevice bool
	last               int // the first mark of the interval asked for last
}

// opsBytes are bytes allocated minus released.
type opsBytes struct{ host, device int64 }

func (b *opsBytes) add(x opsBytes, sign int64) {
	b.host += sign * x.host
	b.device += sign * x.device
}

func newOpsMemory(tl *timeline.Timeline) *opsMemory {
	m := &opsMemory{sum: []opsBytes{{}}}
	marks := &tl.Marks
	for i, at := range marks.At {
		b := m.sum[len(m.sum)-1]
		switch marks.Class[i] {
		case event.HostMemory:
			m.hasHost = true
			b.host += marks.Value[i]
		case event.DeviceMemory:
			m.hasDevice = true
			b.device += marks.Value[i]
		default:
			continue
		}
		m.at, m.sum = append(m.at, at), append(m.sum, b)
	}
	m.open = make([]int, len(m.at)+1)
	return m
}

// marks returns which marks lie in [start, end], both ends included. It is quick
// when starts ascend and intervals are short.
func (m *opsMemory) marks(start, end int64) (lo, hi int) {
	if m.last > 0 && m.at[m.last-1] >= start {
		m.last = 0
	}
	m.last = m.from(m.last, start)
	return m.last, m.from(m.last, end+1)
}

// from returns the first mark at or after time t, which none before mark i is.
func (m *opsMemory) from(i int, t int64) int {
	step := 1
	for i+step <= len(m.at) && m.at[i+step-1] < t {
		i += step
		step *= 2
	}
	n := min(step, len(m.at)-i)
	return i + sort.Search(n, func(k int) bool { return m.at[i+k] >= t })
}

// between returns the bytes allocated, less those released, in [start, end].
func (m *opsMemory) between(start, end int64) opsBytes {
	if len(m.at) == 0 {
		return opsBytes{}
	}
	lo, hi := m.marks(start, end)
	b := m.sum[hi]
	b.add(m.sum[lo], -1)
	return b
}

// claim notes that marks in [start, end] belong to some range.
func (m *opsMemory) claim(start, end int64) {
	if len(m.at) > 0 {
		lo, hi := m.marks(start, end)
		m.open[lo]++
		m.open[hi]--
	}
}

// rows makes the row of allocations outside every range.
func (m *opsMemory) rows(o *opsTable) {
	var row *opsSum
	open := 0
	for i := range m.at {
		if open += m.open[i]; open > 0 {
			continue
		}
		if row == nil {
			row = o.row(opsKey{name: o.names.add(opsMemoryName)})
		}
		b := m.sum[i+1]
		b.add(m.sum[i], -1)
		row.count++
		row.memory.add(b, 1)
		row.selfMemory.add(b, 1)
	}
}
