package analyze

import (
	"fmt"

	"reel/event"
	"reel/timeline"
)

// Timing says how device times were taken.
type Timing string

// The timings.
const (
	HostTimed   Timing = "host"   // no device activity was recorded: host clock only
	SyncedTimed Timing = "synced" // host clock around device synchronisation
	DeviceTimed Timing = "device" // the device's own activity records
	EventTimed  Timing = "events" // events of the device around stages and steps, no activity
)

// RankSummary is what one rank's timeline says, in the words of the JSON schema
// reel.summary/1. Times are nanoseconds; *_ns that are starts count from the
// rank's first event.
type RankSummary struct {
	Rank      int           `json:"rank"`
	Host      string        `json:"host,omitempty"`
	Device    string        `json:"device,omitempty"`
	Producer  string        `json:"producer,omitempty"`
	Timing    Timing        `json:"timing"`
	StartUnix *int64        `json:"start_unix_ns,omitempty"` // of the first event; absent when the trace has no absolute time
	Duration  int64         `json:"duration_ns"`
	Requests  []RequestInfo `json:"requests"`
	Devices   []DeviceGPU   `json:"devices,omitempty"`
	GPU       *GPU          `json:"gpu,omitempty"`
	Stages    []StageInfo   `json:"stages"`
	Steps     []StepInfo    `json:"steps"`
	Outside   *Outside      `json:"outside,omitempty"`
	Classes   []ClassTotal  `json:"classes,omitempty"` // absent without device activity
	Memory    *MemoryReport `json:"memory,omitempty"`
	Coverage  []Coverage    `json:"coverage,omitempty"` // of a rank in a run folder
	Links     Links         `json:"links"`

	Collectives *CollectiveTimes `json:"-"` // what ranks are set against each other by; goes into a Partial
}

// RequestInfo is one request. Other is host time in none of its stages.
type RequestInfo struct {
	Index    int      `json:"index"`
	Name     string   `json:"name,omitempty"`
	Start    int64    `json:"start_ns"`
	Duration int64    `json:"duration_ns"`
	Other    int64    `json:"other_ns"`
	Evidence Evidence `json:"evidence"`
	WarmUp   bool     `json:"warm_up,omitempty"` // the producer called it one
}

// StageInfo is one run of a stage. CPU is what the host saw; the device values
// are of the activities launched within, and absent when none was recorded.
type StageInfo struct {
	Request    int      `json:"request"`
	Stage      string   `json:"stage"`
	Name       string   `json:"name"`
	Start      int64    `json:"start_ns"`
	CPU        int64    `json:"cpu_ns"`
	GPUBusy    *int64   `json:"gpu_busy_ns,omitempty"`
	GPUSpan    *int64   `json:"gpu_span_ns,omitempty"`
	Activities int      `json:"activities"`
	Steps      int      `json:"steps,omitempty"` // of a denoise loop
	Evidence   Evidence `json:"evidence"`

	ClassTime  map[string]int64 `json:"class_ns,omitempty"`          // by KernelClass, sums of durations, ns
	PeakMemory *int64           `json:"peak_memory_bytes,omitempty"` // allocated on the device
}

// StepInfo is one denoise step.
type StepInfo struct {
	Request    int      `json:"request"`
	Loop       int      `json:"loop"`
	Index      int      `json:"index"`
	Name       string   `json:"name"`
	Start      int64    `json:"start_ns"`
	CPU        int64    `json:"cpu_ns"`
	GPUBusy    *int64   `json:"gpu_busy_ns,omitempty"`
	GPUSpan    *int64   `json:"gpu_span_ns,omitempty"`
	GPUIdle    *int64   `json:"gpu_idle_ns,omitempty"` // GPUSpan - GPUBusy
	Activities int      `json:"activities"`
	Launches   int      `json:"launches"` // calls that caused them; a graph's is one
	Evidence   Evidence `json:"evidence"`

	ClassTime  map[string]int64 `json:"class_ns,omitempty"`          // by KernelClass, sums of durations, ns
	PeakMemory *int64           `json:"peak_memory_bytes,omitempty"` // allocated on the device
}

// Outside is device work that belongs to no stage and no step.
type Outside struct {
	GPUBusy    int64 `json:"gpu_busy_ns"`
	Activities int   `json:"activities"`
}

// Links counts how activities were attributed.
type Links struct {
	ByLaunch     int `json:"by_launch"`
	ByOp         int `json:"by_op,omitempty"`
	Unattributed int `json:"unattributed"`
	Unsound      int `json:"unsound,omitempty"` // times that cannot be true
}

// Summarize measures a rank.
func Summarize(tl *timeline.Timeline, roles *Roles) RankSummary { return survey(tl, roles).sum }

// survey measures a rank and keeps what findings look at.
func survey(tl *timeline.Timeline, roles *Roles) *scene {
	d := Derive(tl, roles)
	c := &scene{tl: tl, d: d, work: workByStart(tl), kernels: newKernels(tl, roles), calls: newCalls(tl, roles)}
	s := &c.sum
	*s = RankSummary{Host: tl.Info.Host, Producer: tl.Info.Producer, Duration: tl.End - tl.Origin,
		Timing: HostTimed, Requests: []RequestInfo{}, Stages: []StageInfo{}, Steps: []StepInfo{}}
	if tl.Info.Rank != nil {
		s.Rank = *tl.Info.Rank
	}
	if base, ok := unixBase(tl); ok {
		v := base + tl.Origin
		s.StartUnix = &v
	}
	s.Links = Links{tl.Linked.ByLaunch, tl.Linked.ByOp, tl.Linked.None, tl.Linked.Unsound}
	gpu, devices := devices(tl, c.work, c.kernels.comm)
	if gpu.Activities > 0 {
		s.Timing, s.GPU, s.Devices = DeviceTimed, &gpu, devices
		s.Collectives = collectiveTimes(tl, c.work, c.kernels.comm)
	}
	s.Device = rankDevice(tl, devices)
	c.memory = newLevels(tl, event.DeviceMemory)
	c.hostMemory = newLevels(tl, event.HostMemory)
	s.Memory = memoryReport(tl, c.memory, c.hostMemory)
	m := newShares(tl, d, c.work, c.kernels)
	c.place = m.place
	s.fill(c, m)
	if gpu.Activities > 0 {
		s.Classes = c.classTotals()
	}
	return c
}

// unixBase returns the Unix time of the timeline's time 0, ns. Traces before
// mid-2024 carry no base: their times are Unix times themselves.
func unixBase(tl *timeline.Timeline) (int64, bool) {
	if tl.Info.Base != nil {
		return *tl.Info.Base, true
	}
	const year2000, year2200 = 946684800e9, 7258118400e9
	return 0, tl.Origin > year2000 && tl.Origin < year2200
}

// rankDevice names the devices that the rank worked on, or the machine's only sort.
func rankDevice(tl *timeline.Timeline, used []DeviceGPU) string {
	names := map[string]bool{}
	name := ""
	for _, d := range used {
		if d.Name != "" && !names[d.Name] {
			names[d.Name], name = true, d.Name
		}
	}
	if len(used) == 0 {
		for _, d := range tl.Info.Devices {
			if d.Name != "" && !names[d.Name] {
				names[d.Name], name = true, d.Name
			}
		}
	}
	if len(names) > 1 {
		return fmt.Sprintf("%d kinds of device", len(names))
	}
	return name
}
