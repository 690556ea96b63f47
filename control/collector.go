package control

import (
	"context"
	"time"

	"reel/internal/rundir"
	"reel/window"
)

// The parts of a run folder, which collectors and exporters write into.
type (
	// Folder is a run folder; see its Create, Register and Path.
	Folder = rundir.Folder
	// File is a file of a run folder under way; Commit gives it its name.
	File = rundir.File
	// Artifact is a file that a session left.
	Artifact = rundir.Artifact
	// Kind says what an artifact is.
	Kind = rundir.Kind
	// Role says whether an artifact was recorded or made from what was.
	Role = rundir.Role
	// Coverage says what was seen of one thing that was asked for.
	Coverage = rundir.Coverage
)

// The kinds and roles of artifacts.
const (
	Recording   = rundir.Recording
	Trace       = rundir.Trace
	Ops         = rundir.Ops
	StacksCPU   = rundir.StacksCPU
	StacksCUDA  = rundir.StacksCUDA
	Memory      = rundir.Memory
	ProfilerOut = rundir.ProfilerOut
	Other       = rundir.Other

	Source  = rundir.Source
	Derived = rundir.Derived
)

// Run is what collectors and exporters are told of the run that they work for.
type Run struct {
	Folder  *Folder
	Config  Config
	Rank    int
	Session int            // counted from 1
	Window  *window.Window // nil where a whole session is recorded
}

// Collector is one thing that records. Its methods are called one at a time, never
// two at once; they must not call the Controller. A panic counts as an error.
type Collector interface {
	// Name names the collector in messages.
	Name() string
	// Prepare makes it ready; warm-up iterations run behind it. What it sees
	// before Start is thrown away.
	Prepare(run *Run) error
	// Start begins to keep what is seen.
	Start() error
	// Stop ends it. It is called once for every Prepare that succeeded, whether
	// or not Start followed or failed.
	Stop() (Seen, error)
}

// Seen is what a collector says about a recording.
type Seen struct {
	Events, DeviceEvents int64
	Dropped              int64         // events lost
	Overhead             time.Duration // what it cost, where that is known
}

// Switch is the gate of an outer profiler, such as cudaProfilerStart and -Stop.
// On is called before collectors start, Off after everything else. A gate may have
// a method Ready() error, which New asks, and Warnings() []string, which go into the
// session's. Package rec/cuda has one.
type Switch interface {
	On() error
	Off() error
}

// Exporter writes artifacts once the collectors have stopped.
type Exporter struct {
	Name   string // in messages
	Export func(ctx context.Context, run *Run) error
}
