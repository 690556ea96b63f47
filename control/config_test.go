package control

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/internal/yaml"
	"reel/window"
)

// The configurations of vLLM-Omni's document.
func TestDocumented(t *testing.T) {
	perf, err := filepath.Abs("perf")
	if err != nil {
		t.Fatal(err)
	}
	minimal := Config{Profiler: Torch, Dir: perf}
	tables := Config{Profiler: Torch, Dir: perf, Shapes: true, Stack: true}
	memory := tables
	memory.Memory = true
	for text, want := range map[string]Config{
		`{"profiler":"torch","torch_profiler_dir":"./perf"}`:                                                                      minimal,
		`{"profiler_config":{"profiler":"torch","torch_profiler_dir":"./perf"}}`:                                                  minimal,
		"profiler_config:\n  profiler: torch\n  torch_profiler_dir: ./perf\n":                                                     minimal,
		"profiler: torch\ntorch_profiler_dir: ./perf\ntorch_profiler_use_gzip: true":                                              {Profiler: Torch, Dir: perf, Gzip: true},
		`{"profiler":"torch","torch_profiler_dir":"./perf","torch_profiler_record_shapes":true,"torch_profiler_with_stack":true}`: tables,
		`{"profiler":"torch","torch_profiler_dir":"./perf","torch_profiler_use_gzip":false,"torch_profiler_record_shapes":true,` +
			`"torch_profiler_with_stack":true,"torch_profiler_with_memory":true,"torch_profiler_with_flops":false,` +
			`"torch_profiler_dump_cuda_time_total":false,"delay_iterations":0,"max_iterations":0,"wait_iterations":0,` +
			`"warmup_iterations":0,"active_iterations":0}`: memory,
		`{"profiler": "cuda"}`: {Profiler: CUDA},
		`{}`:                   {},
		`{"profiler":null}`:    {},
		"profiler_config:":     {},
		"iteration_unit: step\nprofiler: cuda\nmax_iterations: 3": {Profiler: CUDA, Unit: Unit(window.DenoiseSteps), Max: 3},
	} {
		got, err := ParseWith([]byte(text), yaml.Decode) // YAML holds JSON
		if err != nil || got != want {
			t.Errorf("%s\n got %+v, %v", text, got, err)
		}
		if text[0] == '{' {
			if got, err := Parse([]byte(text)); err != nil || got != want {
				t.Errorf("%s\n got %+v, %v", text, got, err)
			}
		}
	}
}

// Each fault is one message with the field, the value and what is allowed.
func TestFaults(t *testing.T) {
	number := "want a whole number from 0 (unused) to 1000000"
	for text, want := range map[string][]string{
		`{"profiler":"nsys"}`:                           {`profiler: "nsys": want torch or cuda, or leave it out for none`},
		`{"profiler":true}`:                             {`profiler: true: want torch or cuda`},
		`{"profiler":"torch"}`:                          {`torch_profiler_dir: must be set when profiler is 'torch'`},
		`{"profiler":"cuda","torch_profiler_dir":"/x"}`: {`torch_profiler_dir: "/x": is only applicable when profiler is set to 'torch'; profiler is cuda`},
		`{"torch_profiler_dir":"/x"}`:                   {`torch_profiler_dir: "/x": is only applicable when profiler is set to 'torch'; profiler is not set`},
		`{"profiler":"cuda","delay_iterations":-1,"max_iterations":1.5,"wait_iterations":"3","warmup_iterations":true,"active_iterations":1000001}`: {
			"delay_iterations: -1: " + number, "max_iterations: 1.5: " + number, `wait_iterations: "3": ` + number, "warmup_iterations: true: " + number, "active_iterations: 1000001: " + number},
		`{"profiler":"cuda","torch_profiler_use_gzip":1,"iteration_unit":"frame"}`: {
			"torch_profiler_use_gzip: 1: want true or false", `iteration_unit: "frame": want request or step`},
		`{"torch_profiler_with_stacks":true}`: {"torch_profiler_with_stacks: true: no such field; did you mean torch_profiler_with_stack?"},
		`{"with_stack":true}`:                 {"with_stack: true: no such field; did you mean torch_profiler_with_stack?"},
		`{"Max-Iterations":2}`:                {"Max-Iterations: 2: no such field; did you mean max_iterations?"},
		`{"colour":"blue"}`:                   {`colour: "blue": no such field; there are ` + listed(fieldNames())},
		`{"ignore_frontend":true}`:            {"ignore_frontend: true: not needed: the front end is never profiled; remove it"},
		`{"profiler_config":{"profiler":"cuda"},"delay_iterations":1}`: {"delay_iterations: 1: does not belong beside profiler_config; put it inside"},
		`{"profiler_config":[]}`:                {"profiler_config: []: want a mapping of fields"},
		`{"profiler":"cuda","profiler":"cuda"}`: {"profiler_config: profiler: stands twice; want it once"},
		`{"profiler":`:                          {"profiler_config: the JSON text ends too early"},
		`"torch"`:                               {`profiler_config: want a JSON object, not "torch"`},
		`{"profiler":"cuda",}`:                  nil,
		`profiler: cuda`:                        nil,
		`{"a":` + strings.Repeat("[", 50):       {"profiler_config: nested deeper than 20"},
	} {
		_, err := Parse([]byte(text))
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}
		if want != nil && err.Error() != strings.Join(want, "\n") {
			t.Errorf("%s\n got %s\nwant %s", text, err, strings.Join(want, "\n"))
		}
		if n := len(Faults(err)); len(want) > 1 && n != len(want) {
			t.Errorf("%s: %d faults", text, n)
		}
	}
}

func TestDirs(t *testing.T) {
	for dir, is := range map[string]bool{"s3://bucket/x": true, "gs://b": true, "C://x": false, "://x": false, "x:": false, "/a/b": false, "./s3://x": false} {
		if IsURI(dir) != is {
			t.Errorf("IsURI(%q) is %v", dir, !is)
		}
	}
	t.Setenv("HOME", "/home/ada")
	here, _ := os.Getwd()
	for in, want := range map[string]string{"s3://bucket/../x": "s3://bucket/../x", "~": "/home/ada", "~/perf/": "/home/ada/perf", "/a/../b": "/b", "p~": here + "/p~"} {
		if got, err := localDir(in); err != nil || got != want {
			t.Errorf("localDir(%q) = %q, %v", in, got, err)
		}
	}
	if _, err := localDir("~nobody-of-this-name/x"); err == nil {
		t.Error("a user who is not there has a home")
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.json": `{"profiler":"cuda"}`, "b.yaml": "profiler: cuda", "bad.json": `{"profiler":"x"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, arg := range []string{" {\"profiler\":\"cuda\"}", dir + "/a.json", dir + "/b.yaml"} {
		if c, err := Load(arg, yaml.Decode); err != nil || c.Profiler != CUDA {
			t.Errorf("%s: %v %v", arg, c, err)
		}
	}
	if _, err := Load(dir+"/none.yaml", nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Load(dir+"/bad.json", nil); err == nil || !strings.HasPrefix(err.Error(), dir+"/bad.json: profiler: ") || len(Faults(err)) != 1 {
		t.Error(err)
	}
}

func TestArtifactsAndWarnings(t *testing.T) {
	names := func(c Config) (out []string) {
		for _, a := range c.Artifacts(3) {
			out = append(out, a.Name)
		}
		return out
	}
	full := Config{Profiler: Torch, Gzip: true, Stack: true, Memory: true, CUDATotal: true}
	if got := names(full); !slices.Equal(got, []string{"trace_rank3.json.gz", "ops_rank3.xlsx", "stacks_cpu_rank3.txt", "stacks_cuda_rank3.txt", "memory_snapshot_rank3.pickle", "profiler_out_3.txt"}) {
		t.Error(got)
	}
	if got := names(Config{Profiler: Torch}); !slices.Equal(got, []string{"trace_rank3.json", "ops_rank3.xlsx"}) {
		t.Error(got)
	}
	if got := (Config{Profiler: CUDA, Gzip: true, Max: 5, Active: 2}).Warnings(); len(got) != 2 {
		t.Error(got)
	}
	if got := full.Warnings(); len(got) != 0 {
		t.Error(got)
	}
}

// The schema knows the fields that the parser knows, and their defaults.
func TestSchema(t *testing.T) {
	data, err := os.ReadFile("../schema/profiler-config-1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Default any
				Maximum any
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	props := schema.Defs["config"].Properties
	if len(props) != len(fields) {
		t.Errorf("the schema has %d fields, the parser %d", len(props), len(fields))
	}
	for _, f := range fields {
		p, ok := props[f.name]
		if !ok {
			t.Errorf("the schema lacks %s", f.name)
			continue
		}
		c := Config{Max: 1, Gzip: true} // anything but the default
		if f.name == "iteration_unit" {
			c.Unit = Unit(window.DenoiseSteps)
		}
		if fault := f.set(&c, p.Default); fault != nil {
			t.Error(fault)
		}
		var zero Config
		if a, b := show(f.at(&c)), show(f.at(&zero)); p.Default != nil && a != b {
			t.Errorf("%s: default %s in the schema, %s in the parser", f.name, a, b)
		}
		if n, ok := p.Maximum.(float64); ok && n != maxIterations {
			t.Errorf("%s: maximum %v", f.name, n)
		}
	}
}

// Whatever is accepted gives a schedule that is sound, and survives a round trip.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"profiler_config":{"profiler":"torch","torch_profiler_dir":"~/x","active_iterations":5}}`))
	f.Add([]byte(`{"profiler":"cuda","max_iterations":1000000,"iteration_unit":"step"}`))
	f.Add([]byte(`{"a":[{"b":1e9}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			if err.Error() == "" {
				t.Error("an empty message")
			}
			return
		}
		if err := c.Schedule().Check(); err != nil {
			t.Error(err)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Parse(text); err != nil || again != c {
			t.Errorf("%s: %+v, %v", text, again, err)
		}
	})
}
