package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/display"
	"reel/internal/golden"
	"reel/internal/synth"
)

// shown prints a comparison at both widths; a regression may exit 3.
func shown(t *testing.T, name string, args ...string) {
	t.Helper()
	for _, width := range []int{80, 160} {
		r := reel(t, append([]string{fmt.Sprintf("COLUMNS=%d", width)}, args...)...)
		if r.code != 0 && r.code != 3 {
			t.Fatalf("reel %s: exit %d, %s", strings.Join(args, " "), r.code, r.err)
		}
		for line := range strings.Lines(r.out) {
			if n := display.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%s: a line takes %d cells of %d: %q", name, n, width, line)
			}
		}
		golden.String(t, fmt.Sprintf("%s_%d.txt", name, width), r.out)
	}
}

// eight makes eight runs whose steps take around ms.
func eight(t *testing.T, name string, ms int) (files []string) {
	t.Helper()
	for i := range 8 {
		file := fmt.Sprintf("%s%d.trace.txt", name, i)
		var b strings.Builder
		fmt.Fprintf(&b, "track cpu1/2\nrange request \"request\" at 0ms for %dms\nrange stage \"pipeline.encode\" at 0ms for %dus\n", 30+5*ms+i, 9000+i*10)
		for k := range 5 {
			fmt.Fprintf(&b, "range step \"denoise[%d]\" at %dms for %dus\nrange op \"aten::mm\" at %dms for 1ms\n", k, 10+k*(ms+1), ms*1000+i*7, 11+k*(ms+1))
		}
		write(t, file, b.String())
		files = append(files, file)
	}
	return files
}

func TestDiffText(t *testing.T) {
	folder(t)
	a := made(t, "a.json", synth.Options{Seed: 2, Steps: 6, Layers: 2, Python: true})
	b := made(t, "b.json", synth.Options{Seed: 5, Steps: 8, Layers: 3, Python: true, Memory: true})
	shown(t, "diff/two", "diff", a, b, "--limit", "6", "--min-delta", "1ms")
	golden.String(t, "diff/two.md", reel(t, "diff", a, b, "--limit", "4", "--format", "markdown").out)
	golden.String(t, "diff/two.csv", reel(t, "diff", a, b, "--by", "request,stage,step", "--format", "csv").out)
	shown(t, "diff/eight", append(append(append([]string{"diff", "--min-delta", "10ms"}, eight(t, "a", 20)...), "--"), eight(t, "b", 24)...)...)
	shown(t, "diff/same", "diff", a, a, "--limit", "3")
	write(t, "empty.trace.txt", "info rank 3\n")
	shown(t, "diff/empty", "diff", "empty.trace.txt", "empty.trace.txt")
	write(t, "hostile.trace.txt", hostileFinding)
	r := reel(t, "diff", "empty.trace.txt", "hostile.trace.txt") // nothing in common
	if golden.String(t, "diff/hostile.txt", r.out); r.code != 1 || !strings.Contains(r.err, "nothing of B can be judged by A") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

// TestDiffGate: what a regression is, and what exit codes come of it.
func TestDiffGate(t *testing.T) {
	folder(t)
	a, b := eight(t, "a", 20), eight(t, "b", 24)
	sides := strings.Join(a, " ") + " -- " + strings.Join(b, " ")
	text, err := os.ReadFile(a[0])
	if err != nil {
		t.Fatal(err)
	}
	write(t, "more.trace.txt", string(text)+"range stage \"pipeline.upscale\" at 9200us for 500us\n")
	write(t, "none.trace.txt", "track cpu1/2\nrange request \"request\" at 0ms for 30ms\n")
	for _, c := range []struct {
		args string
		code int
		says string // on stderr
	}{
		{"diff " + a[0] + " " + a[1], 0, ""},
		{"diff " + a[0] + " " + b[0], 0, ""}, // less than 0.25 s
		{"diff --min-delta 10ms " + a[0] + " " + b[0], 3, "regressions"},
		{"diff --min-delta 10ms --threshold 50% " + a[0] + " " + b[0], 0, ""},
		{"diff --min-delta 10ms --by kernel " + a[0] + " " + b[0], 3, "regressions"},
		{"diff --min-delta 10ms " + b[0] + " " + a[0], 0, ""},
		{"diff --min-delta 10ms " + sides, 3, "regressions"},
		{"diff --min-delta 10ms --request 0 " + sides, 3, "regressions"},
		{"diff --min-delta 10ms --request 1 " + sides, 2, "has 1"},
		{"diff " + a[0], 2, "two sides"},
		{"diff " + a[0] + " " + a[1] + " " + a[2], 2, "part the sides"},
		{"diff -- " + a[0] + " " + a[1], 2, "two sides"},
		{"diff " + a[0] + " --", 2, "two sides"},
		{"diff " + a[0] + " -- " + a[1] + " --json", 2, "flags go in front"},
		{"diff --threshold much " + a[0] + " " + a[1], 2, "--threshold"},
		{"diff --threshold -1 " + a[0] + " " + a[1], 2, "--threshold"},
		{"diff --min-delta 3parsec " + a[0] + " " + a[1], 2, "--min-delta"},
		{"diff --by frame " + a[0] + " " + a[1], 2, "--by"},
		{"diff --limit -1 " + a[0] + " " + a[1], 2, "--limit"},
		{"diff --html " + a[0] + " " + a[0] + " " + a[1], 1, "exists"},
		{"diff absent.json " + a[0], 1, "absent.json"},
		{"diff " + a[0] + " ./" + a[0] + " -- " + b[0] + " " + b[1], 2, "are one run"},
		{"diff --min-delta 10ms more.trace.txt " + a[0], 0, ""},
		{"diff --min-delta 400us " + a[0] + " more.trace.txt", 3, "1 regression"},
		{"diff " + a[0] + " none.trace.txt", 1, "nothing of B can be judged by A"},
	} {
		r := reel(t, strings.Fields(c.args)...)
		if r.code != c.code || !strings.Contains(r.err, c.says) {
			t.Errorf("%.80s: exit %d, want %d; %s", c.args, r.code, c.code, r.err)
		}
		if c.code == 3 && r.out == "" {
			t.Errorf("%.80s: nothing printed", c.args)
		}
	}
}

// TestDiffJSON: the counts of rows, with a limit and without, and a strict schema.
func TestDiffJSON(t *testing.T) {
	valid := validator(t)
	folder(t)
	a := made(t, "a.json", synth.Options{Seed: 2, Steps: 6, Layers: 2, Python: true})
	b := made(t, "b.json", synth.Options{Seed: 5, Steps: 8, Layers: 3})
	many := append(append(append([]string{"diff", "--json"}, eight(t, "a", 20)...), "--"), eight(t, "b", 21)...)
	valid("diff", "diff", "--json", a, b)
	valid("diff", "diff", "--json", "--limit", "2", b, a)
	valid("diff", many...)
	write(t, "empty.trace.txt", "info rank 3\n")
	valid("diff", "diff", "--json", "empty.trace.txt", a)
	var d analyze.Diff
	if err := json.Unmarshal([]byte(good(t, "diff", "--json", "--limit", "2", a, b)), &d); err != nil {
		t.Fatal(err)
	}
	n := map[analyze.DiffKind]int{}
	for _, r := range d.Rows {
		n[r.Kind]++
	}
	if n[analyze.DiffOp] != 2 || n[analyze.DiffKernel] != 2 || n[analyze.DiffRequest] != 1 || d.RowsTotal <= len(d.Rows) {
		t.Errorf("%v of %d", n, d.RowsTotal)
	}
}

// TestDiffRanks: the ranks of a folder are one run.
func TestDiffRanks(t *testing.T) {
	folder(t)
	for _, dir := range []string{"a", "b"} {
		for r := range 3 {
			write(t, dir+"/x", "")
			_ = os.Remove(dir + "/x")
			made(t, fmt.Sprintf("%s/rank%d.json", dir, r), synth.Options{Seed: uint64(r), Rank: r, WorldSize: 3, Layers: 2, Python: true, Collectives: true})
		}
	}
	var d analyze.Diff
	if err := json.Unmarshal([]byte(good(t, "diff", "--json", "a", "b/")), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.A.Runs) != 1 || d.A.Runs[0].Ranks != 3 || d.A.Runs[0].Path != "a" || d.B.Runs[0].Path != "b" || len(d.Rows) == 0 {
		t.Errorf("%+v", d.A)
	}
	for _, r := range d.Rows {
		if r.Delta != 0 || r.Verdict != analyze.DiffSame {
			t.Errorf("equal runs differ: %+v", r)
		}
	}
}

// TestDiffHTML writes one page that loads nothing.
func TestDiffHTML(t *testing.T) {
	folder(t)
	files := append(append(eight(t, "a", 20), "--"), eight(t, "b", 24)...)
	r := reel(t, append([]string{"diff", "--min-delta", "10ms", "--html", "d.html"}, files...)...)
	page, err := os.ReadFile("d.html")
	if err != nil || r.code != 3 {
		t.Fatalf("%v, exit %d: %s", err, r.code, r.err)
	}
	for _, want := range []string{"Reel comparison", "steady steps", "regression", "aten::mm", "default-src &#39;none&#39;"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if m := regexp.MustCompile(`(src|href)="(https?:)?//`).Find(page); m != nil {
		t.Errorf("the page loads %s", m)
	}
}

// startupReport is a start-up of some phases, in ms.
func startupReport(cache string, imports, load int) string {
	total := imports + load
	return fmt.Sprintf(`{"schema_version":1,"artifact_type":"reel.startup","started_at_unix_ns":1,"duration_ns":%d000000,"synchronized":false,
"phases":[{"id":0,"parent_id":null,"name":"imports","start_ns":0,"duration_ns":%d000000,"status":"success"},
{"id":1,"parent_id":null,"name":"component.vae","start_ns":%d000000,"duration_ns":%d000000,"status":"success"}],"environment":{"page_cache_state":%q}}`, total, imports, imports, load, cache)
}

// TestDiffStartup compares start-up reports by phase, never cold with warm ones.
func TestDiffStartup(t *testing.T) {
	valid, trace := validator(t), tiny(t)
	folder(t)
	write(t, "a.json", startupReport("warm", 800, 2000))
	write(t, "b.json", startupReport("warm", 800, 2900))
	write(t, "cold.json", startupReport("cold", 800, 2900))
	shown(t, "diff/startup", "diff", "a.json", "b.json")
	valid("diff", "diff", "--json", "a.json", "b.json")
	for args, code := range map[string]int{"diff a.json b.json": 3, "diff a.json a.json": 0, "diff a.json cold.json": 1, "diff a.json cold.json -- b.json cold.json": 2,
		"diff --cache warm a.json cold.json -- b.json cold.json": 3, "diff --cache cold a.json cold.json -- b.json cold.json": 0, "diff a.json " + trace: 2} {
		if r := reel(t, strings.Fields(args)...); r.code != code {
			t.Errorf("%s: exit %d, want %d: %s", args, r.code, code, r.err)
		}
	}
}
