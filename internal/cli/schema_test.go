package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"reel/internal/samples"
	"reel/internal/synth"
)

// schemas compiles the schemas of the repository, in a strict form: a field that
// a schema does not name is an error, so that none is forgotten.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	files, _ := filepath.Glob(filepath.Join(root, "schema", "*-1.schema.json"))
	var names []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), "-1.schema.json")
		names = append(names, name)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		strict(doc)
		if err := c.AddResource("urn:reel:"+name+":1", doc); err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]*jsonschema.Schema{}
	for _, name := range names {
		if out[name], err = c.Compile("urn:reel:" + name + ":1"); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// strict forbids properties that are not named.
func strict(v any) {
	switch v := v.(type) {
	case map[string]any:
		if v["properties"] != nil && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, x := range v {
			strict(x)
		}
	case []any:
		for _, x := range v {
			strict(x)
		}
	}
}

// validator returns a function that runs a verb and validates what it prints.
func validator(t *testing.T) func(schema string, args ...string) {
	all := schemas(t)
	return func(schema string, args ...string) {
		t.Helper()
		if all[schema] == nil {
			t.Fatalf("there is no schema/%s-1.schema.json", schema)
		}
		check(t, all[schema], args, reel(t, args...).out)
	}
}

// TestSchemas compares what the verbs print with the schemas.
func TestSchemas(t *testing.T) {
	valid, traces := validator(t), []string{tiny(t)}
	folder(t)
	ranks := []string{made(t, "rank0.json", synth.Options{Python: true, Steps: 60, Layers: 1, WorldSize: 3, Collectives: true, Memory: true}),
		made(t, "rank2.json", synth.Options{Python: true, Steps: 60, Layers: 1, WorldSize: 3, Rank: 2, Collectives: true})}
	write(t, "host.trace.txt", "track cpu1/2\nrange step \"a\" at 1us for 1us\nrange step \"b\" at 3us for 1us\n")
	write(t, "empty.json", "")
	write(t, "odd.json", `{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":-1,"args":{"device":0,"stream":7}},
		{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":5,"dur":9},{"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":2,"ts":7,"dur":20}`)
	for _, trace := range append(traces, ranks[0], "host.trace.txt", "odd.json") {
		valid("summary", "summary", "--json", trace)
		valid("doctor", "doctor", "--json", trace)
		valid("ops", "ops", "--json", trace)
		valid("check", "check", "--json", trace)
	}
	valid("summary", append([]string{"summary", "--json"}, ranks...)...)
	valid("doctor", append([]string{"doctor", "--json"}, ranks...)...)
	valid("ops", append([]string{"ops", "--json", "--by", "shape", "--limit", "5"}, ranks...)...)
	valid("ops", append([]string{"ops", "--json", "--by", "stack"}, ranks...)...)
	valid("check", "check", "--json", "empty.json", "odd.json")
	valid("partial", append([]string{"summarize", "-o", "-"}, ranks...)...)
	valid("partial", "summarize", "-o", "-", "odd.json")
	valid("version", "version", "--json")
}

// TestSchemasOfSamples does the same with real traces.
func TestSchemasOfSamples(t *testing.T) {
	large(t)
	valid := validator(t)
	for _, trace := range smallSamples(t, samples.Shared(t)) {
		valid("summary", "summary", "--json", trace)
		valid("doctor", "doctor", "--json", trace)
		valid("ops", "ops", "--json", trace)
		valid("check", "check", "--json", trace)
	}
}

// smallSamples are the sample traces that are read in no time.
func smallSamples(t *testing.T, shared string) (small []string) {
	t.Helper()
	for _, name := range []string{"kineto", "torch"} {
		files, err := filepath.Glob(filepath.Join(shared, name, "*.json*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			st, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			if st.Size() < 600<<10 && !strings.Contains(f, "key_averages") {
				small = append(small, f)
			}
		}
	}
	return small
}

// check validates one JSON document.
func check(t *testing.T, s *jsonschema.Schema, args []string, out string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		t.Errorf("reel %s: %v", strings.Join(args, " "), err)
		return
	}
	if d.More() {
		t.Errorf("reel %s: more than one document", strings.Join(args, " "))
	}
	if err := s.Validate(doc); err != nil {
		t.Errorf("reel %s: %v", strings.Join(args, " "), err)
	}
}
