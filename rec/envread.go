package rec

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"reel/internal/nsight"
	"reel/internal/rundir"
	"reel/reelfile"
	"reel/window"
)

// environment is what FromEnv reads.
type environment struct {
	get  func(string) string
	opt  EnvOptions
	spec window.Spec
	trt  bool   // the windows are those of the range variable
	path string // of traces, with trt
	note *note  // of the run folder, where there is one
	err  error
}

// Where launchers of several ranks say which one this is, and of how many.
var (
	rankVariables  = []string{"REEL_RANK", "RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}
	worldVariables = []string{"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}
)

// on reports whether a switch is on: nothing but 1 is.
func (e *environment) on(variable string) bool { return e.get(variable) == "1" }

func (e *environment) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// read reads the variables of windows.
func (e *environment) read() {
	own, trt, path := e.get(EnvWindow), e.get(EnvTRTWindow), e.get(EnvTRTTrace)
	variable, value := EnvWindow, own
	if own == "" && trt != "" {
		variable, value, e.trt, e.path = EnvTRTWindow, trt, true, path
	}
	if own != "" && trt != "" {
		e.opt.Log.Warn("both variables ask for windows; the first one counts", "first", EnvWindow, "second", EnvTRTWindow)
	}
	if path != "" && trt == "" {
		e.opt.Log.Warn(EnvTRTTrace+" records nothing without "+EnvTRTWindow+"; to record denoise steps 0 to 4 say "+EnvTRTWindow+"=0-4", "path", path)
	}
	spec, err := window.Parse(variable, value)
	if err != nil {
		e.fail(err)
		e.trt = false
	}
	e.spec = spec
}

// recorder makes the Recorder, and the capture of the windows.
func (e *environment) recorder(c **Capture) *Recorder {
	record := e.get(EnvRecord)
	files := record != "" && record != "0"
	if g, ok := e.opt.Outer.(interface{ Ready() error }); ok && e.trt {
		if err := g.Ready(); err != nil {
			e.opt.Log.Warn("no outer profiler: "+err.Error(), "variable", EnvTRTWindow)
			e.opt.Outer = nil
		}
	}
	if e.trt && !files && e.path == "" { // the range variable alone
		if e.opt.Outer == nil {
			e.opt.Log.Warn("the range variable alone drives an outer profiler, and this program has none: nothing is recorded",
				"variable", EnvTRTWindow, "to record", EnvRecord+"=1")
			return nil
		}
		*c = &Capture{Outer: e.opt.Outer, Sync: e.opt.Sync}
		return nil
	}
	if !files && !e.trt {
		if e.spec.Mode == window.Unset {
			return nil
		}
		record = "1" // windows of Reel's own: it records them
	}
	r := New(e.options())
	if e.spec.Mode == window.Unset {
		if e.get(EnvWindow)+e.get(EnvTRTWindow) != "" { // a value that is an error records nothing
			return nil
		}
		path := e.file(record)
		if err := r.Start(path); err != nil {
			e.fail(fmt.Errorf("%s: %w", EnvRecord, err))
			e.note = nil
			return nil
		}
		e.note.add(path, rundir.Recording, rundir.Source)
		return r
	}
	x := &Capture{Recorder: r, Outer: e.opt.Outer, Sync: e.opt.Sync}
	if e.trt && e.path != "" {
		x.Name, x.Export = TraceName(e.path, e.rank()), e.opt.Export
	} else {
		x.Name = WindowName(e.file(record))
	}
	*c = x
	return r
}

func (e *environment) options() Options {
	o := Options{Producer: e.app(), Sync: e.opt.Sync, SyncStages: e.on(EnvSync), Log: e.opt.Log}
	if rank, ok := e.number(rankVariables...); ok {
		o.Rank = &rank
	}
	if n, ok := e.number(worldVariables...); ok {
		o.WorldSize = &n
	}
	switch mode := e.get(EnvMode); mode {
	case "", "full":
	case "flight":
		o.Mode = reelfile.Flight
	default:
		e.fail(fmt.Errorf("%s=%q: want full or flight", EnvMode, mode))
	}
	if text := e.get(EnvMaxBytes); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 {
			e.fail(fmt.Errorf("%s=%q: want a number of bytes", EnvMaxBytes, text))
		} else {
			o.MaxBytes = n
		}
	}
	return o
}

// number returns the first of the variables that holds a number.
func (e *environment) number(variables ...string) (int, bool) {
	for _, v := range variables {
		if n, err := strconv.Atoi(e.get(v)); err == nil && n >= 0 {
			return n, true
		}
	}
	return 0, false
}

func (e *environment) rank() int {
	n, _ := e.number(rankVariables...)
	return n
}

func (e *environment) app() string {
	if e.opt.App != "" {
		return e.opt.App
	}
	return filepath.Base(os.Args[0])
}

// file returns the path of the recording: as asked for, or in the run folder.
func (e *environment) file(record string) string {
	name := fmt.Sprintf("rec-%d-%d%s", e.rank(), os.Getpid(), recordingSuffix)
	if record != "1" {
		return clean(record, name)
	}
	dir := e.get(rundir.EnvDir)
	if dir == "" {
		dir = filepath.Join(rundir.DefaultRoot, rundir.Name(e.app(), time.Now(), os.Getpid()))
	}
	world, _ := e.number(worldVariables...)
	e.note = newNote(dir, e.app(), e.spec.String(), e.rank(), world)
	return filepath.Join(dir, name)
}

// stats adds the Stats that the switches ask for; it is kept where there is a file for
// it. Its stages are then timed without stamps, which want to be collected step by
// step, and nobody does.
func (e *environment) stats(ps *[]Profiler) *keptStats {
	path := e.get(EnvStatsPath)
	all, stages, fps, latency := e.on(EnvStats), e.on(EnvSyncProfile) || e.on(EnvFDSync), e.on(EnvFDFPS), e.on(EnvFDLatency)
	all = all || path != ""
	if !all && !stages && !fps && !latency {
		return nil
	}
	o := StatsOptions{NoStages: !all && !stages, NoRates: !all && !fps, NoLatency: !all && !latency}
	if stages || e.on(EnvSync) {
		o.Sync, o.Stamp = e.opt.Sync, e.opt.Stamp
	}
	if path == "" {
		*ps = append(*ps, NewStats(o))
		return nil
	}
	o.Stamp = nil
	if n, ok := e.number(worldVariables...); ok && n > 1 {
		stem, suffix := rundir.Split(path)
		path = fmt.Sprintf("%s-rank-%d%s", stem, e.rank(), suffix)
	}
	k := keepStats(NewStats(o), path)
	*ps = append(*ps, k)
	return k
}

// emitter opens NVTX when it is asked for, or when a collector would see it.
func (e *environment) emitter() Emitter {
	asked := e.on(EnvNVTX) || e.on(EnvFDNVTX)
	if e.opt.NVTX == nil {
		if asked {
			e.opt.Log.Warn("NVTX was asked for, and this program brings none: ranges reach Reel alone", "variable", EnvNVTX)
		}
		return nil
	}
	by := "a variable"
	if !asked {
		if e.get(EnvNVTX) == "0" {
			return nil
		}
		if by, asked = nsight.Attached(e.get); !asked {
			return nil
		}
	}
	x, err := e.opt.NVTX(e.get)
	if err != nil {
		e.opt.Log.Debug("NVTX: ranges reach Reel alone", "asked for by", by, "err", err)
		return nil
	}
	e.opt.Log.Debug("NVTX", "asked for by", by, "library", fmt.Sprint(x))
	return x
}
