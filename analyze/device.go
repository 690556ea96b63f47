package analyze

import (
	"slices"

	"reel/event"
	"reel/timeline"
)

// GPU is what a device, or all devices of a rank, did between its first and
// last activity. All values are interval unions in nanoseconds over kernels,
// copies and sets, the same arithmetic as TraceLens and HolisticTraceAnalysis.
type GPU struct {
	Start, End int64 `json:"-"` // of the span, ns on the timeline

	Span        int64   `json:"span_ns"`
	Busy        int64   `json:"busy_ns"`         // union of all
	Compute     int64   `json:"compute_ns"`      // kernels that are no collectives, and sets
	Comm        int64   `json:"comm_ns"`         // collectives
	Copy        int64   `json:"copy_ns"`         // copies
	ExposedComm int64   `json:"exposed_comm_ns"` // not under compute
	ExposedCopy int64   `json:"exposed_copy_ns"` // not under compute
	Idle        int64   `json:"idle_ns"`         // Span - Busy
	BusyPercent float64 `json:"busy_percent"`
	Activities  int     `json:"activities"`
	// Unattributed counts activities of which no launch and no operator is known.
	Unattributed int `json:"unattributed"`
	// CommOverlapPercent is the share of Comm under compute; absent without Comm.
	CommOverlapPercent *float64 `json:"comm_overlap_percent,omitempty"`
	// KernelsOnly has the values that depend on what compute is, without sets:
	// so HolisticTraceAnalysis counts. Absent where there are no sets.
	KernelsOnly *KernelsOnly `json:"kernels_only,omitempty"`
}

// KernelsOnly is compute without memory sets, and what follows from it.
type KernelsOnly struct {
	Compute            int64    `json:"compute_ns"`
	ExposedComm        int64    `json:"exposed_comm_ns"`
	CommOverlapPercent *float64 `json:"comm_overlap_percent,omitempty"`
}

// DeviceGPU is the work of one device.
type DeviceGPU struct {
	ID   int64  `json:"id"`
	Name string `json:"name,omitempty"`
	GPU  GPU    `json:"gpu"`
}

// Device measures the activities of all devices together, and of each.
func Device(tl *timeline.Timeline, roles *Roles) (GPU, []DeviceGPU) {
	return devices(tl, workByStart(tl), roles.collectives(tl))
}

// devices is Device over activities given by start.
func devices(tl *timeline.Timeline, work []int32, comm func(timeline.NameID) bool) (GPU, []DeviceGPU) {
	all := measure(tl, work, comm)
	ids := map[int64][]int32{}
	last, one := int64(0), true
	for k, i := range work {
		id := tl.Tracks[tl.ActivityTrack(int(i))].A
		one = one && (k == 0 || id == last)
		last = id
	}
	switch {
	case one && len(work) > 0:
		ids[last] = work
	case !one:
		for _, i := range work {
			id := tl.Tracks[tl.ActivityTrack(int(i))].A
			ids[id] = append(ids[id], i)
		}
	}
	var list []DeviceGPU
	for id, sub := range ids {
		one := all
		if len(ids) > 1 {
			one = measure(tl, sub, comm)
		}
		list = append(list, DeviceGPU{ID: id, Name: deviceName(tl, id), GPU: one})
	}
	slices.SortFunc(list, func(a, b DeviceGPU) int { return int(min(1, max(-1, a.ID-b.ID))) })
	return all, list
}

// deviceName returns the name of a device. Headers number devices as the process
// saw them, activities as the machine does: an unlisted device of a machine with
// one sort of device is of that sort.
func deviceName(tl *timeline.Timeline, id int64) string {
	only := ""
	for i, d := range tl.Info.Devices {
		if d.ID == id {
			return d.Name
		}
		if i == 0 {
			only = d.Name
		} else if d.Name != only {
			only = ""
		}
	}
	return only
}

// workByStart returns the activities that are work, by start.
func workByStart(tl *timeline.Timeline) []int32 {
	a := &tl.Activities
	var streams [][]int32
	for _, tr := range tl.DeviceTracks() {
		s := make([]int32, 0, tl.Tracks[tr].Hi-tl.Tracks[tr].Lo)
		for i := tl.Tracks[tr].Lo; i < tl.Tracks[tr].Hi; i++ {
			if a.Class[i].IsWork() {
				s = append(s, int32(i))
			}
		}
		streams = append(streams, s)
	}
	for len(streams) > 1 {
		var next [][]int32
		for i := 0; i < len(streams); i += 2 {
			if i+1 == len(streams) {
				next = append(next, streams[i])
				continue
			}
			next = append(next, mergeByStart(a.Start, streams[i], streams[i+1]))
		}
		streams = next
	}
	if len(streams) == 0 {
		return nil
	}
	return streams[0]
}

func mergeByStart(start []int64, x, y []int32) []int32 {
	out := make([]int32, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		if start[y[0]] < start[x[0]] {
			out, y = append(out, y[0]), y[1:]
		} else {
			out, x = append(out, x[0]), x[1:]
		}
	}
	return append(append(out, x...), y...)
}

// measure computes the unions over activities given by start.
func measure(tl *timeline.Timeline, work []int32, isComm func(timeline.NameID) bool) GPU {
	var g GPU
	var busy, compute, kernels, comm, copies union
	var commCompute, commKernels, copyCompute union // of two sorts together: what they share is the sum of both less this
	sets := false
	a := &tl.Activities
	for k, i := range work {
		start, end := a.Start[i], a.End(int(i))
		if k == 0 {
			g.Start, g.End = start, end
		}
		g.End = max(g.End, end)
		busy.add(start, end)
		switch {
		case a.Class[i] == event.Copy:
			copies.add(start, end)
			copyCompute.add(start, end)
		case isComm(a.Name[i]):
			comm.add(start, end)
			commCompute.add(start, end)
			commKernels.add(start, end)
		case a.Class[i] == event.Set:
			compute.add(start, end)
			commCompute.add(start, end)
			copyCompute.add(start, end)
			sets = true
		default:
			for _, u := range []*union{&compute, &kernels, &commCompute, &commKernels, &copyCompute} {
				u.add(start, end)
			}
		}
		if a.Launch[i] == timeline.NoRange && a.Owner[i] == timeline.NoRange {
			g.Unattributed++
		}
	}
	g.Activities = len(work)
	g.Span, g.Busy = g.End-g.Start, busy.length()
	g.Compute, g.Comm, g.Copy = compute.length(), comm.length(), copies.length()
	g.ExposedComm = commCompute.length() - g.Compute
	g.ExposedCopy = copyCompute.length() - g.Compute
	g.Idle = g.Span - g.Busy
	if g.Span > 0 {
		g.BusyPercent = 100 * float64(g.Busy) / float64(g.Span)
	}
	g.CommOverlapPercent = overlapPercent(g.Comm, g.ExposedComm)
	if sets {
		exposed := commKernels.length() - kernels.length()
		g.KernelsOnly = &KernelsOnly{kernels.length(), exposed, overlapPercent(g.Comm, exposed)}
	}
	return g
}

// overlapPercent is the share of comm that is not exposed; nil without comm.
func overlapPercent(comm, exposed int64) *float64 {
	if comm == 0 {
		return nil
	}
	p := 100 * float64(comm-exposed) / float64(comm)
	return &p
}

// union is the length of a union of intervals, added by ascending start. It keeps none
// of them: there may be millions.
type union struct {
	done       int64 // of the intervals before the last
	start, end int64 // of the last
}

func (u *union) add(start, end int64) {
	if start <= u.end && u.end > u.start {
		u.end = max(u.end, end)
		return
	}
	u.done += u.end - u.start
	u.start, u.end = start, end
}

func (u *union) length() (sum int64) { return u.done + u.end - u.start }
