package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reel/internal/rundir"
	"reel/rec"
)

// The variables by which producers learn what was asked for, beside those of
// packages rec and rundir.
const (
	EnvConfig = "REEL_PROFILER_CONFIG"  // the profiler_config, as JSON
	EnvStats  = "REEL_STATS_PATH"       // where statistics per step are written
	EnvSync   = "REEL_SYNC_AND_PROFILE" // 1: stage times wait for the device
	EnvKineto = "KINETO_USE_DAEMON"     // 1: PyTorch can be attached to
)

// Injection variables of NVIDIA's tools: whoever set them receives what NVTX and
// CUPTI tell, and nobody else does.
var injections = []string{"NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH"}

// environ is an environment under construction; later settings replace earlier.
type environ struct {
	names []string
	value map[string]string
}

func newEnviron(list []string) *environ {
	e := &environ{value: map[string]string{}}
	for _, kv := range list {
		if k, v, ok := strings.Cut(kv, "="); ok {
			e.set(k, v)
		}
	}
	return e
}

func (e *environ) get(name string) string { return e.value[name] }

func (e *environ) set(name, value string) {
	if _, ok := e.value[name]; !ok {
		e.names = append(e.names, name)
	}
	e.value[name] = value
}

// fill sets a variable that the user has not set.
func (e *environ) fill(name, value string) {
	if e.value[name] == "" {
		e.set(name, value)
	}
}

func (e *environ) list() []string {
	out := make([]string, len(e.names))
	for i, n := range e.names {
		out[i] = n + "=" + e.value[n]
	}
	return out
}

// ParseEnv reads one NAME=VALUE of --env.
func ParseEnv(text string) (string, error) {
	name, _, ok := strings.Cut(text, "=")
	if !ok || name == "" || strings.ContainsAny(text, "\x00") || strings.ContainsAny(name, " \t\n") {
		return "", fmt.Errorf("%q is no NAME=VALUE", text)
	}
	return text, nil
}

// common sets what every back end but plain tells the command.
func (r *run) common(e *environ) {
	e.set(rundir.EnvDir, r.folder.Path())
	if len(r.opt.Config) > 0 {
		e.set(EnvConfig, string(r.opt.Config))
	}
	if r.opt.Stats == "" {
		return
	}
	for _, name := range []string{EnvSync, rec.EnvStats, rec.EnvFDSync, rec.EnvFDFPS, rec.EnvFDLatency} {
		e.fill(name, "1")
	}
	e.set(EnvStats, r.opt.Stats)
}

// nameInjections says whose injection libraries the environment already names.
func (r *run) nameInjections(e *environ) {
	for _, name := range injections {
		if lib := e.get(name); lib != "" {
			r.warn("%s=%s is set: that tool receives what %s reports, and it is left alone", name, rundir.HideValue(lib), strings.TrimSuffix(name, "_INJECTION64_PATH"))
		}
	}
}

// outerNsys reports whether the command would run within another nsys: by the
// variables that it sets, its libraries, or a parent of that name.
func outerNsys(e *environ) bool {
	if e.get("NSYS_PROFILING_SESSION_ID") != "" {
		return true
	}
	for _, name := range append([]string{"LD_PRELOAD"}, injections...) {
		lib := strings.ToLower(e.get(name))
		if strings.Contains(lib, "nsight-systems") || strings.Contains(lib, "toolsinjection") {
			return true
		}
	}
	return parentNamed("nsys")
}

// rank is the global rank of a launcher that is itself started once per rank.
func (e *environ) rank() string {
	for _, name := range []string{"REEL_RANK", "RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"} {
		v := e.get(name)
		if v != "" && len(v) < 8 && strings.Trim(v, "0123456789") == "" {
			return v
		}
	}
	return ""
}

// absolute makes a path absolute that another process is to write.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(abs), 0o777); err != nil {
		return "", err
	}
	return abs, nil
}
