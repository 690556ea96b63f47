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
	at                   []int64 // ns, ascending
	sum                  []opsBytes
	open                 []int // change of the number of ranges that hold a mark
	hasHost, hasDevice   bool
	failures             int64 // "[OutOfMemory]" marks
	failed, unclaimed    opsSum
	unclaimedMarks       int64
	hasMarks, hasFailure bool
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
			if tl.Name(marks.Name[i]) == "[OutOfMemory]" {
				m.failures++
			}
			continue
		}
		m.at, m.sum = append(m.at, at), append(m.sum, b)
	}
	m.open = make([]int, len(m.at)+1)
	return m
}

// marks returns which marks lie in [start, end], both ends included.
func (m *opsMemory) marks(start, end int64) (lo, hi int) {
	lo = sort.Search(len(m.at), func(i int) bool { return m.at[i] >= start })
	return lo, lo + sort.Search(len(m.at)-lo, func(i int) bool { return m.at[lo+i] > end })
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

// rows makes the rows of allocations outside every range.
func (m *opsMemory) rows(o *opsTable) {
	var row *opsSum
	open := 0
	for i := range m.at {
		if open += m.open[i]; open > 0 {
			continue
		}
		if row == nil {
			row = o.row(opsKey{name: o.extraName("[memory]")})
		}
		b := m.sum[i+1]
		b.add(m.sum[i], -1)
		row.count++
		row.memory.add(b, 1)
		row.selfMemory.add(b, 1)
	}
	if m.failures > 0 {
		o.row(opsKey{name: o.extraName("[OutOfMemory]")}).count = m.failures
	}
}
