package control

import (
	"fmt"
	"strings"

	"reel/window"
)

// The values of Config.Profiler.
const (
	Torch = "torch" // full artefacts: trace, operator tables, stacks
	CUDA  = "cuda"  // opens and closes the range of an outer profiler such as nsys
)

// Config is a profiler_config. Its zero means that no profiler is configured.
type Config struct {
	Profiler  string `json:"profiler"`                            // Torch, CUDA, or "" for none
	Dir       string `json:"torch_profiler_dir"`                  // absolute, or a URI; "" with CUDA
	Gzip      bool   `json:"torch_profiler_use_gzip"`             // trace_rank<N>.json.gz in place of .json
	Shapes    bool   `json:"torch_profiler_record_shapes"`        // input shapes; sheet by_shape
	Stack     bool   `json:"torch_profiler_with_stack"`           // call stacks; sheet by_stack, stacks_*.txt
	Memory    bool   `json:"torch_profiler_with_memory"`          // memory events and snapshot
	Flops     bool   `json:"torch_profiler_with_flops"`           // floating-point operations
	CUDATotal bool   `json:"torch_profiler_dump_cuda_time_total"` // profiler_out_<N>.txt
	Delay     int    `json:"delay_iterations"`                    // iterations that pass first
	Max       int    `json:"max_iterations"`                      // recorded iterations before the session stops by itself
	Wait      int    `json:"wait_iterations"`                     // iterations that pass after Delay
	Warmup    int    `json:"warmup_iterations"`                   // then iterations with collectors on, thrown away
	Active    int    `json:"active_iterations"`                   // then iterations recorded
	Unit      Unit   `json:"iteration_unit"`                      // what an iteration is
}

// Unit is window.Unit as the word of the configuration.
type Unit window.Unit

// MarshalText writes request or step.
func (u Unit) MarshalText() ([]byte, error) { return []byte(window.Unit(u).String()), nil }

// UnmarshalText reads request or step.
func (u *Unit) UnmarshalText(text []byte) error {
	switch string(text) {
	case window.Requests.String():
		*u = Unit(window.Requests)
	case window.DenoiseSteps.String():
		*u = Unit(window.DenoiseSteps)
	default:
		return fmt.Errorf("iteration_unit: %q: want request or step", text)
	}
	return nil
}

// Enabled reports whether a profiler is configured.
func (c Config) Enabled() bool { return c.Profiler != "" }

// Schedule returns the iterations that a session with this configuration records.
// The round of wait, warm-up and active iterations happens once.
func (c Config) Schedule() window.Schedule {
	s := window.Schedule{Unit: window.Unit(c.Unit), Delay: c.Delay, Wait: c.Wait, Warmup: c.Warmup, Active: c.Active, Max: c.Max}
	if s.Active > 0 {
		s.Repeat = 1
	}
	return s
}

// target is the number of iterations that a session records at most; 0 is without
// end.
func (c Config) target() int {
	if c.Active > 0 && (c.Max == 0 || c.Active < c.Max) {
		return c.Active
	}
	return c.Max
}

// Warnings names settings that have no effect together.
func (c Config) Warnings() []string {
	var out []string
	if c.Profiler == CUDA {
		for _, f := range fields {
			if v, ok := f.at(&c).(*bool); ok && *v {
				out = append(out, f.name+" has no effect with profiler: cuda, where the outer profiler records")
			}
		}
	}
	if c.Max > 0 && c.Active > 0 && c.Max > c.Active {
		out = append(out, fmt.Sprintf("max_iterations: %d is not reached: recording ends after active_iterations: %d", c.Max, c.Active))
	}
	return out
}

// ArtifactName names one file that a configuration asks for.
type ArtifactName struct {
	Name string
	Kind Kind
}

// Artifacts names the files that the configuration asks a rank for. The name of
// the device stacks is the same on every device. Exporters that cannot give one
// leave it out: a memory snapshot needs a back end that keeps memory history.
func (c Config) Artifacts(rank int) []ArtifactName {
	if c.Profiler != Torch {
		return nil
	}
	trace := fmt.Sprintf("trace_rank%d.json", rank)
	if c.Gzip {
		trace += ".gz"
	}
	out := []ArtifactName{{trace, Trace}, {fmt.Sprintf("ops_rank%d.xlsx", rank), Ops}}
	if c.Stack {
		out = append(out, ArtifactName{fmt.Sprintf("stacks_cpu_rank%d.txt", rank), StacksCPU},
			ArtifactName{fmt.Sprintf("stacks_cuda_rank%d.txt", rank), StacksCUDA})
	}
	if c.Memory {
		out = append(out, ArtifactName{fmt.Sprintf("memory_snapshot_rank%d.pickle", rank), Memory})
	}
	if c.CUDATotal {
		out = append(out, ArtifactName{fmt.Sprintf("profiler_out_%d.txt", rank), ProfilerOut})
	}
	return out
}

// Fault is one thing that is wrong with a configuration or a request body.
type Fault struct {
	Field string // "" for the whole
	Value string // as written; "" when the field is missing
	Want  string // what is allowed
}

// Error names the field, the value and what is allowed.
func (f *Fault) Error() string {
	parts := []string{}
	for _, p := range []string{f.Field, f.Value, f.Want} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ": ")
}

// Faults returns the faults that err consists of, in the order of their finding.
func Faults(err error) []*Fault {
	switch e := err.(type) {
	case *Fault:
		return []*Fault{e}
	case interface{ Unwrap() []error }:
		var out []*Fault
		for _, one := range e.Unwrap() {
			out = append(out, Faults(one)...)
		}
		return out
	case interface{ Unwrap() error }:
		return Faults(e.Unwrap())
	}
	return nil
}
