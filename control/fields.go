package control

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"reel/window"
)

// maxIterations bounds the numbers of a schedule, as package window does.
const maxIterations = 1_000_000

// field is one key of profiler_config: its name and where its value lies.
type field struct {
	name string
	at   func(*Config) any // *string, *bool, *int or *Unit
}

var fields = []field{
	{"profiler", func(c *Config) any { return &c.Profiler }},
	{"torch_profiler_dir", func(c *Config) any { return &c.Dir }},
	{"torch_profiler_use_gzip", func(c *Config) any { return &c.Gzip }},
	{"torch_profiler_record_shapes", func(c *Config) any { return &c.Shapes }},
	{"torch_profiler_with_stack", func(c *Config) any { return &c.Stack }},
	{"torch_profiler_with_memory", func(c *Config) any { return &c.Memory }},
	{"torch_profiler_with_flops", func(c *Config) any { return &c.Flops }},
	{"torch_profiler_dump_cuda_time_total", func(c *Config) any { return &c.CUDATotal }},
	{"delay_iterations", func(c *Config) any { return &c.Delay }},
	{"max_iterations", func(c *Config) any { return &c.Max }},
	{"wait_iterations", func(c *Config) any { return &c.Wait }},
	{"warmup_iterations", func(c *Config) any { return &c.Warmup }},
	{"active_iterations", func(c *Config) any { return &c.Active }},
	{"iteration_unit", func(c *Config) any { return &c.Unit }},
}

// elsewhere are fields of other programs' profiler_config that mean nothing here.
var elsewhere = map[string]string{
	"capture_torch_profiler":         "not available: no graph capture is profiled here; remove it",
	"detailed_trace_annotation":      "not available here; remove it",
	"ignore_frontend":                "not needed: the front end is never profiled; remove it",
	"torch_profiler_execution_trace": "not available: no execution trace is written here; remove it",
}

// set puts value into the field of c, or says why it cannot.
func (f field) set(c *Config, value any) *Fault {
	fault := func(want string) *Fault { return &Fault{f.name, show(value), want} }
	if value == nil { // null is "not given"
		return nil
	}
	switch p := f.at(c).(type) {
	case *bool:
		v, ok := value.(bool)
		if !ok {
			return fault("want true or false")
		}
		*p = v
	case *int:
		v, ok := integer(value)
		if !ok || v < 0 || v > maxIterations {
			return fault(fmt.Sprintf("want a whole number from 0 (unused) to %d", maxIterations))
		}
		*p = v
	case *Unit:
		v, ok := value.(string)
		if !ok || p.UnmarshalText([]byte(v)) != nil {
			return fault(fmt.Sprintf("want %s or %s", window.Requests, window.DenoiseSteps))
		}
	case *string:
		v, ok := value.(string)
		if !ok && f.name == "profiler" {
			return fault("want torch or cuda")
		} else if !ok {
			return fault("want a path or a URI, as text")
		}
		*p = v
	}
	return nil
}

// integer reads what the decoders of JSON and YAML make of a whole number.
func integer(value any) (int, bool) {
	switch v := value.(type) {
	case int:
		return v, true
	case int64:
		return int(v), int64(int(v)) == v
	case uint64:
		return int(v), v <= math.MaxInt32
	case float64:
		return int(v), v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32
	case json.Number:
		n, err := strconv.Atoi(v.String())
		return n, err == nil
	}
	return 0, false
}

// show writes a value for a message, on one line and not endlessly.
func show(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		data = fmt.Appendf(nil, "%v", value)
	}
	if text := []rune(string(data)); len(text) > 60 {
		return string(text[:59]) + "…"
	}
	return string(data)
}

// unknown says what is wrong with a key that no field has.
func unknown(key string, value any, names []string) *Fault {
	if why, ok := elsewhere[key]; ok {
		return &Fault{key, show(value), why}
	}
	if near := nearest(key, names); near != "" {
		return &Fault{key, show(value), fmt.Sprintf("no such field; did you mean %s?", near)}
	}
	return &Fault{key, show(value), "no such field; there are " + listed(names)}
}

func fieldNames() []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// sorted gives the keys of m in order, so that messages do not change places.
func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
