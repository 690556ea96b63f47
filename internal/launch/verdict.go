package launch

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"reel/internal/rundir"
)

// verdict says which processes did not end well, which sources were not recorded,
// and, when nothing was, why and what to do.
func (r *run) verdict(env *environ) {
	res := &r.result
	for _, p := range res.Processes {
		if !p.Closed {
			res.Lost = append(res.Lost, r.lost(p))
		}
	}
	var device int64
	kinds := map[rundir.Kind]bool{}
	for _, p := range res.Processes {
		device += p.Device
	}
	for _, f := range res.Files {
		kinds[f.Kind] = true
	}
	if r.backend.Name() != "nsys" { // which says itself what it was told to record
		for _, source := range r.opt.Trace {
			if source == "cuda" && (device > 0 || kinds[rundir.Trace]) || slices.Contains(res.Missing, source) {
				continue
			}
			res.Missing = append(res.Missing, source)
		}
	}
	switch {
	case r.backend.Name() != "own", kinds[rundir.Trace], kinds[rundir.NsysReport], kinds[rundir.NsysExport]:
	case len(res.Processes) == 0:
		res.Nothing = r.nothing(env)
	case events(res.Processes) == 0:
		res.Nothing = []string{"the recordings hold no events: the command opened them and went through none of its ranges"}
	}
	if r.opt.Stats != "" {
		if _, err := os.Stat(r.opt.Stats); err != nil {
			r.warn("no statistics were written to %s: the command does not write them; what does: 'reel demo --pipeline streaming', sessions of package rec, and flashdreams-run-v2 with its own --stats-path", r.relative(r.opt.Stats))
		}
	}
}

func events(list []Process) (n int64) {
	for _, p := range list {
		n += p.Events
	}
	return n
}

// lost names a process that did not close its recording, and how it ended where
// that is known.
func (r *run) lost(p Process) string {
	name := fmt.Sprintf("rank %d (pid %d)", p.Rank, p.PID)
	if p.PID == r.launch.PID && r.result.Signal != "" {
		return fmt.Sprintf("%s was ended by %s", name, r.result.Signal)
	}
	for _, d := range r.deaths {
		if d.pid == p.PID {
			return fmt.Sprintf("%s was ended by %s", name, d.signal)
		}
	}
	return name + " did not close its recording: it was killed, or left without closing it"
}

// nothing says why no process left a recording, and what to do.
func (r *run) nothing(env *environ) []string {
	var why []string
	switch {
	case r.result.Signal != "":
		why = append(why, fmt.Sprintf("nothing was recorded: the command was ended by %s before any of its processes began a recording", r.result.Signal))
	case r.result.Code != 0:
		why = append(why, fmt.Sprintf("nothing was recorded: the command failed (exit code %d) before any of its processes began a recording", r.result.Code))
	case r.seen() != nil:
		why = append(append(why, "nothing was recorded, although a process of the command records"), r.seen()...)
		return why
	case r.opt.Window != "":
		why = append(why, fmt.Sprintf("nothing was recorded: window %s was never entered, or no process of the command records", r.opt.Window))
	default:
		why = append(why, "nothing was recorded: no process of the command is a producer of Reel's recordings")
	}
	_, isPython := pythonCommand(r.opt.Argv, env)
	flags := isolation(r.opt.Argv, env)
	switch {
	case flags != "":
		why = append(why, fmt.Sprintf("python %s: %s; leave the flags out", flags, isolationMeans(flags)))
	case isPython && r.opt.Client == nil:
		why = append(why, "a Python program records with Reel's Python client, which it imports: 'import reel'")
	case isPython:
		why = append(why, "no process of it called what Reel's Python client hooks ('reel profile --list-hooks'), or ranges of its own: 'from reel import profiler', docs/python.md")
	default:
		why = append(why, "a Go program records with package rec: rec.FromEnv, docs/profiling-a-pipeline.md")
	}
	if v := env.get("REEL_RECORD"); v != "" && v != "1" {
		why = append(why, fmt.Sprintf("REEL_RECORD=%s sends recordings elsewhere", rundir.HideValue(v)))
	}
	if len(r.opt.Config) > 0 && r.opt.Profiler == "torch" {
		why = append(why, "the profiler_config reaches the command as "+EnvConfig+"; a server such as vLLM-Omni takes its own --profiler-config")
	}
	return append(why, "without changing the command: 'reel profile --nsys' records CUDA, NVTX, OS runtime and Vulkan where Nsight Systems is installed")
}

// seen is what processes that record say that they saw of what was asked for.
func (r *run) seen() []string {
	run, err := rundir.Read(r.folder.Path())
	if err != nil || len(run.Ranks) == 0 {
		return nil
	}
	if len(run.Coverage) == 0 {
		return run.Warnings
	}
	return run.Coverage
}

// sourceNames are what people call the sources.
var sourceNames = map[string]string{"cuda": "CUDA", "nvtx": "NVTX", "osrt": "OS runtime", "vulkan": "Vulkan"}

// SourceNames writes sources for people: "CUDA, NVTX, OS runtime".
func SourceNames(sources []string) string {
	out := make([]string, len(sources))
	for i, s := range sources {
		if out[i] = sourceNames[s]; out[i] == "" {
			out[i] = s
		}
	}
	return strings.Join(out, ", ")
}
