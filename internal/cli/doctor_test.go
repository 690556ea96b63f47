package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/golden"
	"reel/internal/samples"
	"reel/internal/synth"
)

// TestDoctorText shows what doctor says of some traces, narrow and wide.
func TestDoctorText(t *testing.T) {
	trace := tiny(t)
	at(t, "doctor/tiny", "doctor", trace)
	folder(t)
	at(t, "doctor/eager", "doctor", made(t, "eager.json", synth.Options{Seed: 2, Steps: 12, Layers: 2, Python: true, Memory: true}))
	at(t, "doctor/graph", "doctor", made(t, "graph.json", synth.Options{Seed: 3, Requests: 2, Layers: 2, Graph: true, Python: true, Vendor: synth.ROCm}))
	var ranks []string
	for r := range 4 {
		ranks = append(ranks, made(t, fmt.Sprintf("rank%d.json", r),
			synth.Options{Seed: uint64(r), Rank: r, WorldSize: 6, Layers: 2, Python: true, Collectives: true}))
	}
	at(t, "doctor/ranks4", append([]string{"doctor"}, ranks...)...)
	write(t, "nothing.trace.txt", "info rank 3\n")
	at(t, "doctor/nothing", "doctor", "nothing.trace.txt")
	write(t, "hostile.trace.txt", hostileFinding)
	at(t, "doctor/hostile", "doctor", "hostile.trace.txt")
	golden.String(t, "doctor/tiny.md", good(t, "doctor", "--format", "markdown", trace))
	golden.String(t, "doctor/tiny.csv", good(t, "doctor", "--format", "csv", trace))
	golden.String(t, "doctor/limits_80.txt", good(t, "doctor", "--limits"))
}

// hostileFinding has findings whose evidence is taken from names that would write on
// the terminal.
const hostileFinding = "track cpu1/2\nrange python \"app/\\x1b[31m.py(3): f\\u202e\" at 0ms for 100ms\n" +
	"range step \"denoising_step_0\" at 1ms for 9ms\nrange step \"denoising_step_1\" at 11ms for 9ms\n" +
	"range runtime \"cudaLaunchKernel\" at 12ms for 10us cause 1\nrange runtime \"cudaLaunchKernel\" at 18ms for 10us cause 2\n" +
	"track gpu0/7\ngpu \"k\\x1b[31m\\n\" at 13ms for 1ms cause 1\ngpu \"\\xff|`*\" at 19ms for 1ms cause 2\n"

// TestDoctorFailOn: a gate exits 3 and says why; the findings are printed all the same.
func TestDoctorFailOn(t *testing.T) {
	folder(t)
	write(t, "idle.trace.txt", "track cpu1/2\nrange step \"denoising_step_0\" at 1ms for 19ms\nrange runtime \"cudaLaunchKernel\" at 12ms for 10us cause 1\n"+
		"range runtime \"cudaLaunchKernel\" at 18ms for 10us cause 2\ntrack gpu0/7\ngpu \"k\" at 13ms for 1ms cause 1\ngpu \"k\" at 19ms for 1ms cause 2\n")
	write(t, "fine.trace.txt", "track cpu1/2\nrange \"encode_prompt\" at 0ms for 2ms\n")
	write(t, "empty.trace.txt", "info rank 3\n")
	for _, c := range []struct {
		args string
		code int
	}{
		{"doctor idle.trace.txt", 0},
		{"doctor --fail-on error idle.trace.txt", 0},
		{"doctor --fail-on warn idle.trace.txt", 3},
		{"doctor --fail-on warn --limit gpu-idle=99% --json idle.trace.txt", 0},
		{"doctor --fail-on warn fine.trace.txt", 0},
		{"doctor --fail-on error empty.trace.txt", 3},
		{"doctor --fail-on never fine.trace.txt", 2},
		{"doctor --limit nothing=3 fine.trace.txt", 2},
		{"doctor --limits --json", 2},
		{"doctor absent.json", 1},
	} {
		r := reel(t, strings.Fields(c.args)...)
		if r.code != c.code {
			t.Errorf("%s: exit %d, want %d; %s", c.args, r.code, c.code, r.err)
		}
		if c.code == 3 && (r.out == "" || !strings.Contains(r.err, "as bad as")) {
			t.Errorf("%s: out %q, err %q", c.args, r.out, r.err)
		}
	}
}

// TestDoctorMerged: the findings of ranks are the same however they were put together.
func TestDoctorMerged(t *testing.T) {
	folder(t)
	var ranks, parts []string
	for r := range 3 {
		file := made(t, fmt.Sprintf("rank%d.json", r), synth.Options{Seed: 7, Rank: r, WorldSize: 3, Layers: 2, Python: true, Collectives: true})
		ranks = append(ranks, file)
		good(t, "summarize", "-o", file+".partial", file)
		parts = append(parts, file+".partial")
	}
	whole := good(t, append([]string{"summary", "--json"}, ranks...)...)
	slices.Reverse(parts)
	if merged := good(t, append([]string{"merge", "--json"}, parts...)...); merged != whole {
		t.Error("merged findings differ from those of one run")
	}
	var d analyze.Document
	if err := json.Unmarshal([]byte(whole), &d); err != nil || len(d.Findings) == 0 {
		t.Errorf("%d findings, %v", len(d.Findings), err)
	}
}

// found is what doctor says of a sample: ids, and of each the first finding.
func found(t *testing.T, name string) (*analyze.DoctorReport, map[string]analyze.Finding) {
	t.Helper()
	var r analyze.DoctorReport
	if err := json.Unmarshal([]byte(good(t, "doctor", "--json", samples.File(t, name))), &r); err != nil {
		t.Fatal(err)
	}
	by := map[string]analyze.Finding{}
	for _, f := range r.Findings {
		if _, ok := by[f.ID]; !ok {
			by[f.ID] = f
		}
	}
	return &r, by
}

// TestDoctorOfSamples pins which faults real traces have, and the numbers that were
// checked by hand (docs/findings.md).
func TestDoctorOfSamples(t *testing.T) {
	large(t)
	for name, want := range map[string]string{
		"kineto/tl_mi300x_sd35_xdit.json.gz":               "gpu-idle launch-bound repeated-encode layout-conversion",
		"kineto/tl_mi300x_flux1_xdit_graph.json.gz":        "attention-kernel profiler-overhead",
		"kineto/tl_h100_vit.json.gz":                       "gpu-idle launch-bound profiler-overhead",
		"kineto/tl_h100_qwen_unlinked_kernels.json.gz":     "unattributed profiler-overhead",
		"kineto/hta_a100_nccl_args.json.gz":                "gpu-idle launch-bound exposed-comm layout-conversion",
		"kineto/hta_v100_2022_diff_test.json.gz":           "exposed-comm host-sync unattributed overlap-on-stream profiler-overhead",
		"kineto/hta_cupti_range_no_kernels.json.gz":        "no-device-events",
		"kineto/hta_cpu_only_gloo.pt.trace.json.gz":        "",
		"kineto/tl_amd_vllm_hipgraph_replay.json.gz":       "",
		"torch/generated_torch113_tiny_dit_legacy.json":    "compile-in-run profiler-overhead",
		"damaged/p13_corrupt_head_kernel_ts_zero_neg.json": "gpu-idle host-sync lost-events",
		"damaged/p15_only_metadata_events.json":            "empty-window",
		"kineto/hta_a100_triton_tiny.json.gz":              "",
		"nsys/lighttransport-gemm_profile.sqlite":          "lost-events no-device-events",
		"nsys/nsys-ai_h100_2gpu_1s.sqlite":                 "lost-events lost-events unattributed unattributed",
		"nsys/nsys-ai_healthy_1pct.sqlite":                 "",
		"nsys/nsys-ai_mfu_2gpu_before.sqlite":              "exposed-comm overlap-on-stream unattributed unattributed",
	} {
		r, _ := found(t, name)
		var ids []string
		for _, f := range r.Findings {
			ids = append(ids, f.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestDoctorOfStableDiffusion35: costs by hand.
func TestDoctorOfStableDiffusion35(t *testing.T) {
	large(t)
	_, by := found(t, "kineto/tl_mi300x_sd35_xdit.json.gz")
	near(t, "gpu-idle", *by["gpu-idle"].Cost, 345.355, 0.0001)
	near(t, "repeated-encode", *by["repeated-encode"].Cost, 57.12, 0.001)
	for id, call := range map[string]string{"gpu-idle": "pipeline_stable_diffusion_3.py(772): __call__", "repeated-encode": "pipeline_stable_diffusion_3.py(233): _get_t5_prompt_embeds"} {
		if w := by[id].Where; w == nil || w.Call != call {
			t.Errorf("%s: %+v", id, w)
		}
	}
}

// TestDocumentedFindings: every finding and every threshold has its place in the
// documentation.
func TestDocumentedFindings(t *testing.T) {
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "findings.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range analyze.CheckIDs() {
		if !strings.Contains(string(text), "### "+id+"\n") {
			t.Errorf("docs/findings.md has no section on %s", id)
		}
	}
	for _, l := range analyze.LimitTable() {
		if !strings.Contains(string(text), fmt.Sprintf("| `%s` | %v%s |", l.Name, l.Value, l.Unit)) {
			t.Errorf("docs/findings.md lacks the threshold %s, %v%s", l.Name, l.Value, l.Unit)
		}
	}
}

// TestDoctorCoverage: what a run folder's note says was asked for and not seen.
func TestDoctorCoverage(t *testing.T) {
	folder(t)
	if err := os.MkdirAll("run", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "run/a.trace.txt", "track cpu1/2\nrange \"encode_prompt\" at 0ms for 2ms\n")
	write(t, "run/run.json", `{"schema":"reel.run/1","app":"x","versions":{},"ranks":[{"rank":0,"pid":1,"coverage":[`+
		`{"asked":"window 0-4","entered":0,"of":1,"unit":"loops","events":0,"device_events":0,"missed":"the loop has 3 steps"}]}]}`)
	r := reel(t, "doctor", "--fail-on", "error", "run")
	if r.code != 3 || !strings.Contains(r.out, "Window 0-4 was asked for and never entered: the loop has 3 steps.") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	if out := good(t, "summary", "--json", "run"); !strings.Contains(out, `"coverage":[{"asked":"window 0-4","entered":0`) {
		t.Error(out)
	}
}
