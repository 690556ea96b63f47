package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/golden"
	"reel/internal/samples"
)

// TestRedact prints what went, and keeps what the trace says.
func TestRedact(t *testing.T) {
	trace := tiny(t)
	folder(t)
	write(t, "run/trace_rank0.json", `{"host_name": "box-17.lab", "environment": {"HF_TOKEN": "hf_QwErTyUiOpAsDfGhJkLz"}, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "denoising_step_0 on box-17", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
{"ph": "X", "cat": "python_function", "name": "/home/alice/x.py(3): f", "pid": 1, "tid": 1, "ts": 2, "dur": 2}]}`)
	write(t, "run/run.json", `{"schema": "reel.run/1", "command": ["x", "--token", "abcdef-12"], "ranks": [{"host": "box-17.lab"}]}`)
	write(t, "run/notes.txt", "hello")
	golden.String(t, "redact/folder.txt", good(t, "redact", "run", "-o", "out"))
	for _, name := range []string{"out/trace_rank0.json", "out/run.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		golden.String(t, "redact/"+filepath.Base(name), string(data))
	}
	if out := good(t, "redact", trace, "-o", "tiny.json.gz"); !strings.HasPrefix(out, "nothing was found that had to be removed\n") {
		t.Errorf("%s", out)
	}
	for args, want := range map[string]string{"run": "-o OUT is needed", "run x -o y": "takes one file or folder, got 2", "": "takes one file or folder, got 0"} {
		if r := reel(t, append([]string{"redact"}, strings.Fields(args)...)...); r.code != 2 || !strings.Contains(r.err, want) {
			t.Errorf("%q: exit %d, %s", args, r.code, r.err)
		}
	}
	if r := reel(t, "redact", "run", "-o", "out"); r.code != 1 || !strings.Contains(r.err, "out exists") {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
}

// TestRedactSamples: the summary of a redacted export or trace is that of the original,
// and the names of its host and user are nowhere in its bytes.
func TestRedactSamples(t *testing.T) {
	for _, c := range []struct {
		name string
		gone []string
	}{
		{"nsys/nsys-ai_h100_2gpu_1s.sqlite", []string{"rich-wsl", "DESKTOP-KBEMEQS"}},
		{"nsys/lighttransport-gemm_profile.sqlite", []string{"syoyo", "b550\x00"}},
		{"kineto/hta_cpu_only_gloo.pt.trace.json.gz", nil},
		{"kineto/tl_h100_vit.json.gz", nil},
	} {
		in := samples.File(t, c.name)
		out := filepath.Join(t.TempDir(), filepath.Base(in))
		good(t, "redact", in, "-o", out)
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.gone {
			if strings.Contains(string(data), s) {
				t.Errorf("%s: %q is left", c.name, s)
			}
		}
		if a, b := says(t, in), says(t, out); a != b {
			t.Errorf("%s: another summary:\n%s", c.name, golden.Diff([]byte(a), []byte(b)))
		}
	}
}

// says is the summary of a trace without what tells of the file and the host.
func says(t *testing.T, path string) string {
	t.Helper()
	var d analyze.Document
	if err := json.Unmarshal([]byte(good(t, "summary", "--json", path)), &d); err != nil {
		t.Fatal(err)
	}
	for i := range d.Sources {
		d.Sources[i].Bytes = 0
	}
	for i := range d.Ranks {
		d.Ranks[i].Host = ""
	}
	out, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
