package rec

import (
	"log/slog"
	"os"
	"sync"

	"reel/window"
)

// The variables that FromEnv reads.
const (
	EnvRecord   = "REEL_RECORD"    // 1, or the path of the recording
	EnvMode     = "REEL_MODE"      // full or flight
	EnvMaxBytes = "REEL_MAX_BYTES" // bound of a recording
	EnvWindow   = "REEL_WINDOW"    // which parts of requests, as window.Parse reads it
	EnvStats    = "REEL_STATS"     // 1: Stats
	EnvSync     = "REEL_SYNC"      // 1: stages wait for the device
	EnvTrace    = "REEL_GO_TRACE"  // 1: regions of runtime/trace
	EnvNVTX     = "REEL_NVTX"      // 1: EnvOptions.Emitter

	EnvTRTWindow = "TLLM_PROFILE_VISUAL_GEN_START_STOP" // windows of the outer profiler
	EnvTRTTrace  = "TLLM_TORCH_PROFILE_TRACE"           // and the path of traces of them

	EnvFDNVTX    = "FLASHDREAMS_NVTX"
	EnvFDSync    = "FLASHDREAMS_SYNC_AND_PROFILE"
	EnvFDFPS     = "FLASHDREAMS_FPS"
	EnvFDLatency = "FLASHDREAMS_INPUT_LATENCY"
)

// EnvOptions is what the environment cannot bring.
type EnvOptions struct {
	App     string       // names the run folder; the program's name when empty
	Outer   Switch       // what the range variable drives
	Emitter Emitter      // what REEL_NVTX and FLASHDREAMS_NVTX switch on
	Sync    func() error // idles the device
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
	if s := e.stats(); s != nil {
		ps = append(ps, s)
	}
	if e.on(EnvNVTX) || e.on(EnvFDNVTX) {
		if opt.Emitter != nil {
			ps = append([]Profiler{Emit(opt.Emitter)}, ps...)
		} else {
			opt.Log.Warn("NVTX was asked for, and this program brings no emitter: ranges reach Reel alone", "variable", EnvNVTX)
		}
	}
	w := WorkerOptions{Windows: e.spec, Iteration: opt.Iteration, Log: opt.Log}
	if c != nil {
		w.Recorder = c
	}
	return NewWorker(Composite(ps...), w), e.err
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
// recorded is in the file without it, too.
func (w *Worker) Shutdown() error {
	defer w.Close()
	if r := w.Recording(); r != off {
		return r.Close()
	}
	return nil
}

func profilers(p Profiler) []Profiler {
	if c, ok := p.(composite); ok {
		return c
	}
	return []Profiler{p}
}
