package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/golden"
	"reel/internal/samples"
)

// summaryOf is what `reel summary --json` says of sample traces.
func summaryOf(t *testing.T, names ...string) *analyze.Document {
	t.Helper()
	args := []string{"summary", "--json"}
	for _, n := range names {
		args = append(args, samples.File(t, n))
	}
	var d analyze.Document
	if err := json.Unmarshal([]byte(good(t, args...)), &d); err != nil {
		t.Fatal(err)
	}
	return &d
}

// large skips tests on large traces where they would take minutes.
func large(t *testing.T) {
	t.Helper()
	if testing.Short() || raced {
		t.Skip("large traces are read without -short and -race")
	}
}

// near fails unless got, ns, is want, ms, within a share.
func near(t *testing.T, what string, got int64, want, within float64) {
	t.Helper()
	if ms := float64(got) / 1e6; math.Abs(ms-want) > within*want {
		t.Errorf("%s: %.4f ms, want %.4f", what, ms, want)
	}
}

// want is a stage or step of a reference: CPU, device time, span on the device, ms.
type want struct {
	name            string
	cpu, busy, span float64
}

// TestStableDiffusion35 compares with the reference values of an eager run.
func TestStableDiffusion35(t *testing.T) {
	large(t)
	r := &summaryOf(t, "kineto/tl_mi300x_sd35_xdit.json.gz").Ranks[0]
	stages := []want{{"CLIPTextModelWithProjection_0", 9.84, 1.23, 9.46}, {"CLIPTextModelWithProjection_1", 20.72, 3.05, 20.53},
		{"T5EncoderModel_0", 30.10, 13.43, 29.89}, {"CLIPTextModelWithProjection_0", 8.10, 1.20, 7.88},
		{"CLIPTextModelWithProjection_1", 20.70, 3.03, 20.51}, {"T5EncoderModel_0", 28.32, 13.07, 28.14}, {"Decoder_0", 8.09, 49.04, 49.67}}
	var got []analyze.StageInfo
	for _, s := range r.Stages {
		if s.Stage == "encode" || s.Stage == "decode" {
			got = append(got, s)
		}
	}
	if len(got) != len(stages) || len(r.Steps) != 4 {
		t.Fatalf("%d encoder and decoder calls, %d steps; want %d and 4", len(got), len(r.Steps), len(stages))
	}
	for i, w := range stages {
		if got[i].Name != w.name {
			t.Errorf("stage %d is %s, want %s", i, got[i].Name, w.name)
		}
		near(t, w.name+" CPU", got[i].CPU, w.cpu, 0.005)
		near(t, w.name+" device", *got[i].GPUBusy, w.busy, 0.005)
		near(t, w.name+" span", *got[i].GPUSpan, w.span, 0.005)
	}
	for i, w := range []want{{"step 0", 250.1, 157.6, 232.9}, {"step 1", 248.1, 157.3, 246.4}, {"step 2", 248.3, 157.0, 246.6}, {"step 3", 248.7, 155.8, 247.0}} {
		near(t, w.name+" CPU", r.Steps[i].CPU, w.cpu, 0.005)
		near(t, w.name+" device", *r.Steps[i].GPUBusy, w.busy, 0.005)
		near(t, w.name+" span", *r.Steps[i].GPUSpan, w.span, 0.005)
	}
	near(t, "device total", r.GPU.Span, 1171.63, 0.0001)
	near(t, "device busy", r.GPU.Busy, 712.49, 0.0001)
	near(t, "other", r.Outside.GPUBusy, 0.79, 0.01)
	if n := r.Outside.Activities; n < 82 || n > 83 { // one belongs to prepare_latents
		t.Errorf("%d activities outside every stage", n)
	}
}

// TestFlux1 compares with the reference values of a graph replay.
func TestFlux1(t *testing.T) {
	large(t)
	r := &summaryOf(t, "kineto/tl_mi300x_flux1_xdit_graph.json.gz").Ranks[0]
	if len(r.Steps) != 4 {
		t.Fatalf("%d steps", len(r.Steps))
	}
	for i, w := range []want{{"step 0", 2.29, 42.40, 0}, {"step 1", 1.47, 43.16, 0}, {"step 2", 1.50, 42.47, 0}, {"step 3", 1.41, 43.09, 0}} {
		near(t, w.name+" CPU", r.Steps[i].CPU, w.cpu, 0.005)
		near(t, w.name+" device", *r.Steps[i].GPUBusy, w.busy, 0.005)
		if r.Steps[i].Activities != 1573 {
			t.Errorf("%s: %d activities", w.name, r.Steps[i].Activities)
		}
	}
	for name, w := range map[string]want{"CLIPTextModel_0": {"", 8.92, 1.30, 8.59}, "T5EncoderModel_0": {"", 28.78, 23.51, 28.65}, "Decoder_0": {"", 8.62, 5.14, 5.14}} {
		i := slices.IndexFunc(r.Stages, func(s analyze.StageInfo) bool { return s.Name == name })
		if i < 0 {
			t.Errorf("no %s", name)
			continue
		}
		near(t, name+" CPU", r.Stages[i].CPU, w.cpu, 0.005)
		near(t, name+" device", *r.Stages[i].GPUBusy, w.busy, 0.005)
		near(t, name+" span", *r.Stages[i].GPUSpan, w.span, 0.005)
	}
	near(t, "device total", r.GPU.Span, 226.59568, 0.00001)
	near(t, "device busy", r.GPU.Busy, 201.35176, 0.00001)
}

// TestDeviceTimelines compares the device's time with TraceLens' values.
func TestDeviceTimelines(t *testing.T) {
	vit := &summaryOf(t, "kineto/tl_h100_vit.json.gz").Ranks[0]
	near(t, "ViT total", vit.GPU.Span, 7.559843994140625, 1e-6)
	near(t, "ViT busy", vit.GPU.Busy, 1.225308837890625, 1e-6)
	near(t, "ViT computation", vit.GPU.Compute, 1.225308837890625, 1e-6)
	qwen := &summaryOf(t, "kineto/tl_h100_qwen_unlinked_kernels.json.gz").Ranks[0]
	if qwen.GPU.Activities != 1707 || qwen.GPU.Unattributed != 509 || qwen.Links.Unattributed != 509 {
		t.Errorf("Qwen: %d activities, %d of them unattributed", qwen.GPU.Activities, qwen.GPU.Unattributed)
	}
	near(t, "Qwen copies", qwen.GPU.Copy, 0.002367919921875, 0.001)
	for _, form := range []string{"text", "markdown"} {
		if out := good(t, "summary", "--format", form, samples.File(t, "kineto/tl_h100_qwen_unlinked_kernels.json.gz")); !strings.Contains(out, "509 of 1,707 activities have no launch") {
			t.Errorf("the unattributed activities are not told of:\n%s", out)
		}
	}
}

// TestDLRM compares all eight ranks with HolisticTraceAnalysis, to the digit:
// span, busy, compute, comm, exposed comm in µs, overlap in percent. That tool
// leaves sets out of compute; where a rank has sets, kernels_only says the same.
func TestDLRM(t *testing.T) {
	dir := samples.Shared(t)
	files, err := filepath.Glob(filepath.Join(dir, "multirank", "param_dlrm_8gpu_worker*.json.gz"))
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var names []string
	for _, f := range files {
		names = append(names, "multirank/"+filepath.Base(f))
	}
	d := summaryOf(t, names...)
	for i, w := range []string{"13009 6590 1034 5798 5537 4.50", "18749 12321 1246 11336 11056 2.47", "11350 4304 1068 3492 3217 7.88",
		"18853 10708 1240 9774 9450 3.31", "16589 7702 1126 6587 6550 0.56", "16392 7271 1041 6251 6211 0.64",
		"11410 4359 1051 3558 3289 7.56", "10967 2659 1059 1746 1580 9.51"} {
		g := d.Ranks[i].GPU
		if k := g.KernelsOnly; k != nil {
			g.Compute, g.ExposedComm, g.CommOverlapPercent = k.Compute, k.ExposedComm, k.CommOverlapPercent
		}
		got := fmt.Sprintf("%d %d %d %d %d %.2f", g.Span/1000, g.Busy/1000, g.Compute/1000, g.Comm/1000, g.ExposedComm/1000, *g.CommOverlapPercent)
		if d.Ranks[i].Rank != i || got != w {
			t.Errorf("rank %d: %s, want %s", d.Ranks[i].Rank, got, w)
		}
	}
}

// TestDamaged keeps what check says of every damaged file.
func TestDamaged(t *testing.T) {
	dir := samples.Shared(t)
	files, err := filepath.Glob(filepath.Join(dir, "damaged", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no damaged files, %v", err)
	}
	for _, f := range files {
		r := reel(t, "COLUMNS=1000", "check", f)
		if want := map[bool]int{true: 1, false: 0}[strings.Contains(r.out, ": unreadable")]; r.code != want || r.err != "" {
			t.Errorf("%s: exit %d, stderr %q", filepath.Base(f), r.code, r.err)
		}
		name, _, _ := strings.Cut(filepath.Base(f), ".")
		golden.String(t, "damaged/"+name+".txt", strings.ReplaceAll(r.out, filepath.Dir(f)+"/", ""))
	}
}
