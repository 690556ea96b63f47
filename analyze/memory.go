package analyze

import (
	"math"
	"sort"

	"reel/event"
	"reel/timeline"
)

// MemoryArgs are the arguments of marks that timeline.Options.MarkArgs must keep
// for Memory to know what is allocated and reserved in all.
var MemoryArgs = []string{argAllocated, argReserved, argDevice}

const (
	argAllocated = "Total Allocated"
	argReserved  = "Total Reserved"
	argDevice    = "Device Id"
)

// MemoryReport is what allocations and releases in the trace say of memory.
type MemoryReport struct {
	Device *MemoryUse `json:"device,omitempty"` // of all devices of the rank together
	Host   *MemoryUse `json:"host,omitempty"`
}

// MemoryUse is memory over time. Allocated is what the allocator gave out, reserved
// what it holds from the device.
type MemoryUse struct {
	Events int64 `json:"events"`
	// Absolute says that the trace tells what is allocated in all. Without that,
	// values count from the lowest level seen, and are too low by what was allocated
	// before the trace began and not released within it.
	Absolute     bool          `json:"absolute"`
	Start        int64         `json:"start_bytes"`
	End          int64         `json:"end_bytes"`
	Peak         int64         `json:"peak_bytes"`
	PeakAt       int64         `json:"peak_at_ns"` // since the rank's first event
	ReservedPeak *int64        `json:"reserved_peak_bytes,omitempty"`
	Series       []MemoryPoint `json:"series"` // at most 200, each the highest of its part of the time
}

// MemoryPoint is the memory at an instant.
type MemoryPoint struct {
	At        int64  `json:"at_ns"`
	Allocated int64  `json:"allocated_bytes"`
	Reserved  *int64 `json:"reserved_bytes,omitempty"`
}

// maxMemoryPoints bounds a series.
const maxMemoryPoints = 200

// levels is how much memory is allocated after each mark of one class.
type levels struct {
	at, allocated, reserved []int64
	first                   int64 // allocated before the first mark
	absolute, hasReserved   bool
}

// Memory follows the allocations in a trace; nil when it holds none.
func Memory(tl *timeline.Timeline) *MemoryReport {
	device, host := newLevels(tl, event.DeviceMemory), newLevels(tl, event.HostMemory)
	return memoryReport(tl, device, host)
}

func memoryReport(tl *timeline.Timeline, device, host *levels) *MemoryReport {
	if device == nil && host == nil {
		return nil
	}
	return &MemoryReport{Device: device.use(tl.Origin), Host: host.use(tl.Origin)}
}

// newLevels sums the marks of a class; nil when there is none. With totals, the
// level is the sum over devices of what each said last.
func newLevels(tl *timeline.Timeline, class event.Class) *levels {
	m := &tl.Marks
	n := 0
	for _, c := range m.Class {
		if c == class {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	l := &levels{at: make([]int64, 0, n), allocated: make([]int64, 0, n), reserved: make([]int64, 0, n), absolute: true, hasReserved: true}
	total, reserved, ids := tl.MarkArg(argAllocated), tl.MarkArg(argReserved), tl.MarkArg(argDevice)
	var sum int64
	device := firstLevels(m, class, total, reserved, ids) // what each said last, save the one that spoke last
	var all, held int64
	for _, d := range device {
		all, held = all+d[0], held+d[1]
	}
	l.first = all
	lastID, last := int64(math.MinInt64), [2]int64{} // an id that there is not
	running := make([]int64, 0, n)
	for i, c := range m.Class {
		if c != class {
			continue
		}
		sum += m.Value[i]
		running = append(running, sum)
		l.at = append(l.at, m.At[i])
		now := [2]int64{known(total, i), known(reserved, i)}
		l.absolute = l.absolute && now[0] >= 0
		l.hasReserved = l.hasReserved && now[1] >= 0
		if id := known(ids, i); id != lastID {
			device[lastID], lastID = last, id
			last = device[id]
		}
		all, held, last = all+now[0]-last[0], held+now[1]-last[1], now
		l.allocated, l.reserved = append(l.allocated, all), append(l.reserved, held)
	}
	if !l.absolute {
		l.allocated, l.first = running, 0
		l.lift()
	}
	return l
}

// known is the value of an argument, -1 when it is not there.
func known(col []int64, i int) int64 {
	if col == nil || col[i] == timeline.NoValue {
		return -1
	}
	return col[i]
}

// lift makes the lowest level 0.
func (l *levels) lift() {
	lowest := int64(0) // before the first mark
	for _, v := range l.allocated {
		lowest = min(lowest, v)
	}
	for i := range l.allocated {
		l.allocated[i] -= lowest
	}
	l.first = -lowest
}

// firstLevels is what each device held before its first mark, by its id: what the mark
// says is allocated, less what it allocates. Of what is reserved no mark tells by how much
// it changes.
func firstLevels(m *timeline.Marks, class event.Class, total, reserved, ids []int64) map[int64][2]int64 {
	device := map[int64][2]int64{}
	for i, c := range m.Class {
		if c != class {
			continue
		}
		id := known(ids, i)
		if _, ok := device[id]; !ok {
			device[id] = [2]int64{known(total, i) - m.Value[i], known(reserved, i)}
		}
	}
	return device
}

// before is the level just before time t, and after which mark it is.
func (l *levels) before(t int64) (level int64, marks int) {
	k := sort.Search(len(l.at), func(i int) bool { return l.at[i] >= t })
	if k == 0 {
		return l.first, 0
	}
	return l.allocated[k-1], k
}

// peak is the highest level within [from, to).
func (l *levels) peak(from, to int64) int64 {
	peak, k := l.before(from)
	for ; k < len(l.at) && l.at[k] < to; k++ {
		peak = max(peak, l.allocated[k])
	}
	return peak
}

// use sums up; nil stays nil.
func (l *levels) use(origin int64) *MemoryUse {
	if l == nil {
		return nil
	}
	n := len(l.at)
	u := &MemoryUse{Events: int64(n), Absolute: l.absolute, Start: l.first, End: l.allocated[n-1]}
	each := (n + maxMemoryPoints - 1) / maxMemoryPoints
	var reserved int64
	for lo := 0; lo < n; lo += each {
		top := lo
		for i := lo; i < min(n, lo+each); i++ {
			if l.allocated[i] > l.allocated[top] {
				top = i
			}
			reserved = max(reserved, l.reserved[i])
		}
		p := MemoryPoint{At: l.at[top] - origin, Allocated: l.allocated[top]}
		if l.hasReserved {
			p.Reserved = &l.reserved[top]
		}
		if u.Series = append(u.Series, p); p.Allocated > u.Peak || len(u.Series) == 1 {
			u.Peak, u.PeakAt = p.Allocated, p.At
		}
	}
	if l.first > u.Peak {
		u.Peak, u.PeakAt = l.first, 0
	}
	if l.hasReserved && reserved > 0 {
		u.ReservedPeak = &reserved
	}
	return u
}
