package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/golden"
	"reel/internal/nsysstats"
	"reel/internal/samples"
)

func TestStatsHelp(t *testing.T) {
	for _, verb := range []string{"stats", "query", "redact"} {
		help := good(t, verb, "--help")
		if !strings.Contains(help, "Examples:\n  reel "+verb) {
			t.Errorf("%s has no example in its help", verb)
		}
		golden.String(t, "help/"+verb+".txt", help)
	}
}

// TestStatsForms: every form of one table says the same.
func TestStatsForms(t *testing.T) {
	args := []string{"stats", tiny(t), "--native", "--report", "nvtx_gpu_proj_sum,cuda_gpu_kern_sum:base", "--limit", "4"}
	for _, width := range []string{"80", "160"} {
		golden.String(t, "stats/tiny_"+width+".txt", good(t, append([]string{"COLUMNS=" + width}, args...)...))
	}
	if a, b := good(t, append(args, "--format", "column")...), good(t, args...); a != b {
		t.Error("column is not text")
	}
	golden.String(t, "stats/tiny.md", good(t, append(args, "--format", "markdown")...))
	r := reel(t, append(args, "--format", "csv")...)
	golden.String(t, "stats/tiny.csv", r.out)
	if r.code != 0 || !strings.Contains(r.err, "reel stats: nvtx_gpu_proj_sum: Times from the first GPU operation") {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
	for _, table := range strings.Split(r.out, "\n\n") {
		if _, err := csv.NewReader(strings.NewReader(table)).ReadAll(); err != nil {
			t.Errorf("%v in %s", err, table)
		}
	}
	all := append([]string{"stats", tiny(t), "--json", "--report"}, strings.Join(nsysstats.Names(), ","))
	validator(t)("stats", all...)
	// No width is known in a pipe: nothing is cut.
	if out := good(t, "COLUMNS=", "stats", tiny(t), "--report", "cuda_gpu_kern_sum"); strings.Contains(out, "…") || !strings.Contains(out, "::vectorized_elementwise_kernel<") {
		t.Errorf("names are cut:\n%s", out)
	}
}

// TestStatsSkipped says what is not there, on stdout as nsys does, and goes on.
// TestStatsHostileName: what stands beside CSV on a terminal has no control characters.
func TestStatsHostileName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a\x1b[31m.json")
	if err := os.WriteFile(path, []byte(`{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]}`), 0o600); err != nil {
		t.Skip(err) // of a file system without such names
	}
	if r := reel(t, "stats", path, "--format", "csv"); r.code != 0 || !strings.Contains(r.err, "SKIPPED: ") || strings.Contains(r.err, "\x1b") {
		t.Errorf("exit %d, %q", r.code, r.err)
	}
}

func TestStatsSkipped(t *testing.T) {
	out := good(t, "stats", tiny(t), "--report", "osrt_sum,cuda_api_sum")
	if !strings.HasPrefix(out, "SKIPPED: tiny_dit.json.gz does not contain OS Runtime trace data.\n\n ** CUDA API Summary (cuda_api_sum):\n") {
		t.Errorf("%s", out)
	}
	r := reel(t, "stats", tiny(t), "--report", "osrt_sum", "--format", "csv")
	if r.out != "" || r.code != 0 || !strings.HasPrefix(r.err, "reel stats: SKIPPED: tiny_dit") {
		t.Errorf("%+v", r)
	}
	for args, want := range map[string]string{"--report nope": `--report: no report "nope"; there are nvtx_sum,`, "--limit -1": "--limit cannot be negative",
		"--report osrt_sum:base": "takes no argument", "--format xml": `--format "xml": want text, json, csv, markdown`} {
		if r := reel(t, append([]string{"stats", tiny(t)}, strings.Fields(args)...)...); r.code != 2 || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit %d, %s", args, r.code, r.err)
		}
	}
}

// TestStatsOfExport adds up the processes of an export, and counts what has no launch.
func TestStatsOfExport(t *testing.T) {
	export := samples.File(t, "nsys/nsys-ai_h100_2gpu_1s.sqlite")
	out := good(t, "stats", export, "--report", "nvtx_gpu_proj_sum", "--limit", "1")
	for _, want := range []string{"2,276 of 4,368 GPU operations have no launch in the file", "NVTX GPU Projection Summary"} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	kept, native := good(t, "stats", export, "--report", "nvtx_sum"), good(t, "stats", export, "--report", "nvtx_sum", "--native")
	if !strings.Contains(kept, ", op_id = ") || strings.Contains(native, ", op_id = ") || strings.Count(native, "\n")*10 > strings.Count(kept, "\n") {
		t.Errorf("%d rows, %d native", strings.Count(kept, "\n"), strings.Count(native, "\n"))
	}
}
