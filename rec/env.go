package rec

import (
	"context"
	"log/slog"
	"os"
	"sync"

	"reel/internal/rundir"
	"reel/window"
)

// The variables that FromEnv reads.
const (
	EnvRecord   = "REEL_RECORD"    // 1, or the path of the recording
	EnvMode     = "REEL_MODE"      // full or flight
	EnvMaxBytes = "REEL_MAX_BYTES" // bound of a recording
	EnvSaveOn   = "REEL_SAVE_ON"   // USR1, USR2 or HUP: the signal that saves a copy of it
	EnvWindow   = "REEL_WINDOW"    // which parts of requests, as window.Parse reads it
	EnvStats    = "REEL_STATS"     // 1: Stats
	EnvSync     = "REEL_SYNC"      // 1: stages wait for the device
	EnvTrace    = "REEL_GO_TRACE"  // 1: regions of runtime/trace
	EnvNVTX     = "REEL_NVTX"      // 1: EnvOptions.NVTX; 0: not even with an outer nsys

	// EnvStatsPath is a file that gets the totals of the program's statistics as the
	// worker shuts down, -rank-<R> before its suffix where there are several ranks.
	EnvStatsPath = "REEL_STATS_PATH"

	EnvSyncProfile = "REEL_SYNC_AND_PROFILE" // 1: stage times of the device in Stats

	EnvTRTWindow = "TLLM_PROFILE_VISUAL_GEN_START_STOP" // windows of the outer profiler
	EnvTRTTrace  = "TLLM_TORCH_PROFILE_TRACE"           // and the path of traces of them

	EnvFDNVTX    = "FLASHDREAMS_NVTX"
	EnvFDSync    = "FLASHDREAMS_SYNC_AND_PROFILE"
	EnvFDFPS     = "FLASHDREAMS_FPS"
	EnvFDLatency = "FLASHDREAMS_INPUT_LATENCY"
)

// EnvOptions is what the environment cannot bring.
type EnvOptions struct {
	App   string // names the run folder; the program's name when empty
	Outer Switch // what the range variable drives, as cuda.Gate is one
	// NVTX opens what ranges and marks are also told to when REEL_NVTX or
	// FLASHDREAMS_NVTX is 1, or nsys has started the program: nvtx.Open as a rule.
	// Where it fails the program goes on without.
	NVTX func(getenv func(string) string) (Emitter, error)
	Sync func() error // idles the device
	// Stamp is StatsOptions.Stamp, for stage times of the device.
	Stamp func(ctx context.Context) func() Time
	// Export makes a trace of a window's recording under the name that
	// TLLM_TORCH_PROFILE_TRACE gives; without it the recording lies there.
	Export    func(recording, name string) error
	Iteration func(window.Unit) Iteration
	Log       *slog.Logger // slog.Default when nil
}

// FromEnv makes the worker that the environment asks for; getenv is os.Getenv as a
// rule. Its variables are read now and never again. Asked for nothing it records
// nothing, makes no file and reads no clock. The error names the variable; the
// worker can be used all the same and does what the other variables say.
func FromEnv(getenv func(string) string, opt EnvOptions) (*Worker, error) {
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	e := &environment{get: getenv, opt: opt}
	e.read()
	var ps []Profiler
	var c *Capture
	if r := e.recorder(&c); r != nil {
		ps = append(ps, r)
	}
	kept := e.stats(&ps)
	if e.on(EnvTrace) {
		ps = append(ps, RuntimeTrace())
	}
	if x := e.emitter(); x != nil {
		ps = append([]Profiler{Emit(x)}, ps...)
	}
	o := WorkerOptions{Windows: e.spec, Iteration: opt.Iteration, Log: opt.Log}
	if c != nil {
		c.note = e.note
		o.Recorder = c
	}
	w := NewWorker(Composite(ps...), o)
	w.note, w.rank, w.stats = e.note, e.rank(), kept
	if r := w.Recording(); r != off {
		w.untrigger = e.trigger(r)
	}
	return w, e.err
}

// Default returns the worker of the environment, made once: what a pipeline uses
// that nobody gave a profiler.
func Default() *Worker { return defaultWorker() }

var defaultWorker = sync.OnceValue(func() *Worker {
	w, err := FromEnv(os.Getenv, EnvOptions{})
	if err != nil {
		w.log.Error("profiler", "err", err)
	}
	return w
})

// Shutdown ends what a worker records: a program calls it before it ends. What was
// recorded is in the file without it, too. The log gets what was asked for and seen,
// and so does the run.json of a run folder, which otherwise says that the recording
// goes on.
func (w *Worker) Shutdown() error {
	defer w.Close()
	w.mu.Lock()
	stop := w.untrigger
	w.untrigger = nil
	w.mu.Unlock()
	if stop != nil {
		stop()
	}
	var done Recorded
	var err error
	if r := w.Recording(); r != off {
		done, err = r.Stop()
		r.dropped(done)
	}
	list, faults := w.Report()
	var cover []rundir.Coverage
	dropped := done.Counts.Dropped()
	c, windows := w.opt.Recorder.(*Capture)
	switch {
	case windows && c.Recorder != nil:
		all := c.Captured()
		cover = covered(list, all)
		for _, x := range all {
			dropped += x.Counts.Dropped()
		}
	case !windows && done.Path != "":
		cover = []rundir.Coverage{{Asked: "recording", Entered: 1, Of: 1, Unit: "recordings", Events: done.Events, DeviceEvents: done.Activities}}
	}
	if err != nil {
		faults = append(faults, err)
	}
	w.writeStats()
	lines, _ := rundir.CoverageText([]rundir.RankCoverage{{Rank: w.rank, Coverage: cover}}, 0)
	for _, l := range lines {
		w.log.Info("profiler: " + l)
	}
	if bad := w.note.end(cover, dropped, faults); bad != nil {
		w.log.Warn("profiler: the note on the run is not complete", "err", bad)
	}
	return err
}

// writeStats writes the file of statistics, once.
func (w *Worker) writeStats() {
	w.mu.Lock()
	k := w.stats
	w.stats = nil
	w.mu.Unlock()
	if k == nil {
		return
	}
	path, err := k.write()
	if err != nil {
		w.log.Error("profiler: the statistics were not written", "variable", EnvStatsPath, "err", err)
		return
	}
	w.log.Info("profiler: statistics", "path", path)
}

func profilers(p Profiler) []Profiler {
	if c, ok := p.(composite); ok {
		return c
	}
	return []Profiler{p}
}
