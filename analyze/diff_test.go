package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// simulated is a run of a pipeline whose times vary from run to run as those of a busy
// machine do: all of a run a little, each row by itself a little more. Its parts are
// slower as shift says.
func simulated(rnd *rand.Rand, noise float64, shift map[string]float64) *DiffRun {
	run := &DiffRun{Ranks: 1, Requests: 1, Steps: 20}
	all := math.Exp(noise / 2 * rnd.NormFloat64())
	request := 0.0
	for _, r := range []struct {
		kind   DiffKind
		name   string
		ns     float64
		weight int64
	}{{DiffStage, "encode", 80e6, 1}, {DiffStage, "decode", 300e6, 1}, {DiffStep, "first step", 260e6, 1}, {DiffStep, "steady steps", 250e6, 19}} {
		v := r.ns * all * math.Exp(noise*rnd.NormFloat64()) * (1 + shift[r.name])
		request += v * float64(r.weight)
		run.Rows = append(run.Rows, Measured{Kind: r.kind, Name: r.name, Time: int64(v), Count: r.weight, Weight: r.weight, Gated: true})
	}
	run.Rows = append(run.Rows, Measured{Kind: DiffRequest, Name: "request", Time: int64(request), Count: 1, Gated: true})
	return run
}

func side(rnd *rand.Rand, n int, noise float64, shift map[string]float64) (runs []*DiffRun) {
	for range n {
		runs = append(runs, simulated(rnd, noise, shift))
	}
	return runs
}

// TestDiffFalseAlarms compares runs of the same program a hundred times, with thresholds
// of nothing, so that the test of significance alone holds the gate: at most five alarms
// of any row.
func TestDiffFalseAlarms(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	alarms, loud := 0, 0
	for range 100 {
		d := Compare(side(rnd, 8, 0.03, nil), side(rnd, 8, 0.03, nil), DiffOptions{Percent: new(0.0), MinDelta: new(int64(0))})
		if d.Regressions > 0 {
			alarms++
		}
		if slices.ContainsFunc(d.Rows, func(r DiffRow) bool { return *r.P < DiffLevel && r.Delta > 0 }) {
			loud++
		}
	}
	t.Logf("%d alarms, %d without the correction", alarms, loud)
	if alarms > 5 {
		t.Errorf("%d alarms in 100 comparisons of the same program", alarms)
	}
	if loud <= alarms {
		t.Errorf("uncorrected %d alarms, corrected %d: the correction does nothing", loud, alarms)
	}
}

// TestDiffFinds finds a part that became a tenth slower in 18 of 20 comparisons and more.
func TestDiffFinds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 24))
	for _, name := range []string{"encode", "decode", "steady steps"} {
		found := 0
		for range 20 {
			d := Compare(side(rnd, 8, 0.02, nil), side(rnd, 8, 0.02, map[string]float64{name: 0.1}), DiffOptions{MinDelta: new(int64(5e6))})
			if slices.ContainsFunc(d.Rows, func(r DiffRow) bool { return r.Name == name && r.Regression }) {
				found++
			}
		}
		t.Logf("%s: %d of 20", name, found)
		if found < 18 {
			t.Errorf("%s: found in %d of 20", name, found)
		}
	}
}

// oneRow is a run of one gated row.
func oneRow(k DiffKind, ns, weight int64) *DiffRun {
	return &DiffRun{Ranks: 1, Rows: []Measured{{Kind: k, Name: "x", Time: ns, Count: weight, Weight: weight, Gated: true}}}
}

// TestDiffThresholds: a regression passes both thresholds; a step's time counts as often
// as a request has it.
func TestDiffThresholds(t *testing.T) {
	for _, c := range []struct {
		kind       DiffKind
		a, b       int64 // ms
		weight     int64
		opt        DiffOptions
		verdict    DiffVerdict
		regression bool
	}{
		{DiffRequest, 10_000, 10_900, 1, DiffOptions{}, DiffSlower, true},
		{DiffRequest, 10_000, 10_790, 1, DiffOptions{}, DiffSame, false}, // 7.9 %
		{DiffRequest, 1000, 1400, 1, DiffOptions{}, DiffSlower, false},   // 0.4 s
		{DiffStage, 1000, 1300, 1, DiffOptions{}, DiffSlower, true},
		{DiffStage, 10_000, 10_400, 1, DiffOptions{}, DiffSame, false}, // 4 %
		{DiffStage, 1000, 1200, 1, DiffOptions{}, DiffSlower, false},   // 0.2 s
		{DiffStep, 100, 110, 20, DiffOptions{}, DiffSlower, false},     // 0.2 s a request
		{DiffStep, 100, 110, 30, DiffOptions{}, DiffSlower, true},
		{DiffStep, 100, 110, 1, DiffOptions{MinDelta: new(int64(10e6))}, DiffSlower, true},
		{DiffStep, 100, 110, 30, DiffOptions{Percent: new(11.0)}, DiffSame, false},
		{DiffStage, 1300, 1000, 1, DiffOptions{}, DiffFaster, false},
		{DiffStage, 0, 1000, 1, DiffOptions{}, DiffSlower, true},
	} {
		d := Compare([]*DiffRun{oneRow(c.kind, c.a*1e6, c.weight)}, []*DiffRun{oneRow(c.kind, c.b*1e6, c.weight)}, c.opt)
		if r := d.Rows[0]; r.Verdict != c.verdict || r.Regression != c.regression || d.Regressions > 0 != c.regression {
			t.Errorf("%+v: %s, regression %v", c, r.Verdict, r.Regression)
		}
		if d.Tested || d.Why != "not significant: 1 run a side" {
			t.Errorf("tested %v, %q", d.Tested, d.Why)
		}
	}
}

// TestDiffNeedsSignificance: eight noisy runs a side with a median 30 % slower are no
// regression when chance explains them; seven would have been one.
func TestDiffNeedsSignificance(t *testing.T) {
	var a, b []*DiffRun
	for i := range 8 {
		a = append(a, oneRow(DiffStage, int64(1000+i*200)*1e6, 1))
		b = append(b, oneRow(DiffStage, int64(1500+i*130)*1e6, 1))
	}
	if d := Compare(a, b, DiffOptions{}); !d.Tested || d.Why != "" || d.Regressions != 0 || d.Rows[0].Verdict != DiffSame || *d.Rows[0].PHolm < DiffLevel {
		t.Errorf("%+v", d.Rows[0])
	}
	if d := Compare(a[:7], b, DiffOptions{}); d.Tested || d.Regressions != 1 || d.Why != "not significant: 7 and 8 runs" {
		t.Errorf("%+v, %q", d.Rows[0], d.Why)
	}
}

// TestDiffAligns: what one side lacks, what differs in hashes, and in template arguments.
func TestDiffAligns(t *testing.T) {
	run := func(names ...string) *DiffRun {
		r := &DiffRun{Ranks: 1}
		for _, n := range names {
			r.Rows = append(r.Rows, Measured{Kind: DiffKernel, Name: NormalName(n), Time: 10, Count: 1, Device: new(int64(10))})
		}
		return r
	}
	a := run("same<int>", "void ns::gelu<4, at::Half>(int)", "triton_poi_fused_add_3", "only_a", "void ns::both<1>(int)")
	b := run("same<int>", "void ns::gelu<8, at::BFloat16>(long)", "triton_poi_fused_add_11", "only_b", "void ns::both<1>(int)", "void ns::both<2>(int)")
	var got []string
	for _, r := range Compare([]*DiffRun{a}, []*DiffRun{b}, DiffOptions{}).Rows {
		got = append(got, fmt.Sprint(r.Name, " ", r.Verdict))
	}
	slices.Sort(got)
	want := []string{"ns::gelu<…> same", "only_a removed", "only_b added", "same<int> same", "triton_poi_fused_add_* same", "void ns::both<1>(int) same", "void ns::both<2>(int) added"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if d := Compare([]*DiffRun{a}, []*DiffRun{b}, DiffOptions{Exact: true}); len(d.Rows) != 8 {
		t.Errorf("exact: %d rows", len(d.Rows))
	}
}

func TestNormalName(t *testing.T) {
	for in, want := range map[string]string{
		"aten::mm":                      "aten::mm",
		"denoise[3]":                    "denoise[*]",
		"ProfilerStep#1009":             "ProfilerStep#*",
		"denoising_step_3_t981":         "denoising_step_*_*",
		"triton_poi_fused_gelu_view_12": "triton_poi_fused_gelu_view_*",
		"triton_red_fused_native_0d1":   "triton_red_fused_native_0d1",
		"## Call CompiledFxGraph f3ab09c1d2e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5 ##": "## Call CompiledFxGraph * ##",
		"fn at 0x7f3a2c10":                     "fn at 0x*",
		"Torch-Compiled Region: 0/0":           "Torch-Compiled Region: 0/0",
		"volta_sgemm_128x32_nt":                "volta_sgemm_128x32_nt",
		"Memcpy HtoD (Pinned -> Device)":       "Memcpy HtoD (Pinned -> Device)",
		"ncclKernel_AllReduce_RING_LL_Sum_f32": "ncclKernel_AllReduce_RING_LL_Sum_f32",
		"Conv2d_1":                             "Conv2d_1",
		"deadbeef":                             "deadbeef",
		"_GLOBAL__N__8f2b1c3d_4_x_cu":          "_GLOBAL__N__*_4_x_cu",
	} {
		if got := NormalName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := NormalName(NormalName(in)); again != NormalName(in) {
			t.Errorf("%q: %q changes again to %q", in, NormalName(in), again)
		}
	}
}

func FuzzNormalName(f *testing.F) {
	f.Add("void at::native::k<4, f(int)>(a, b)")
	f.Add("triton_poi_fused_3[5]#7 0xabcdef12")
	f.Fuzz(func(t *testing.T, s string) {
		if n := NormalName(s); len(n) > len(s)+1 || NormalName(n) != n && !strings.Contains(s, "*") {
			t.Errorf("%q: %q, then %q", s, n, NormalName(n))
		}
		_ = looseName(s)
	})
}

// TestMeasureRun measures a text trace: the steady steps with what lies between them, a
// stage of two models, self times, and the work of each.
func TestMeasureRun(t *testing.T) {
	roles, err := LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	r := MeasureRun(textTimeline(t, "diff/run.txt"), roles, MeasureOptions{})
	var got []string
	for _, m := range r.Rows {
		got = append(got, fmt.Sprintf("%s %s%s %d x%d", m.Kind, strings.TrimLeft(m.Of+"/", "/"), m.Name, m.Time/1000, m.Count))
	}
	want := `request request 100000 x1
step first step 24000 x1
step steady steps 20000 x3
stage encode 8000 x2
stage diffuse 81000 x1
stage decode 6000 x1
op request 10000 x1
op pipeline.encode 8000 x2
op denoise[*] 67900 x4
op scheduler 8000 x3
op cudaLaunchKernel 100 x2
op pipeline.decode 6000 x1
kernel attn 18000 x1
kernel gemm 3000 x1`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if r.Rows[2].Weight != 3 || *r.Rows[2].CPU != 17e6 {
		t.Errorf("%+v", r.Rows[2])
	}
	only := MeasureRun(textTimeline(t, "diff/run.txt"), roles, MeasureOptions{Request: new(3)})
	if len(only.Rows) != 0 {
		t.Errorf("rows of a request that is not there: %+v", only.Rows)
	}
}

// TestJoinRanks: the slowest rank's stages, the sum of all operators.
func TestJoinRanks(t *testing.T) {
	a := &DiffRun{Device: "x", Ranks: 1, Steps: 4, Rows: []Measured{{Kind: DiffStage, Name: "encode", Time: 5, Count: 1}, {Kind: DiffOp, Name: "mm", Time: 3, Count: 2, CPU: new(int64(4))}}}
	b := &DiffRun{Device: "x", Ranks: 1, Steps: 5, Rows: []Measured{{Kind: DiffOp, Name: "mm", Time: 4, Count: 1, CPU: new(int64(6))}, {Kind: DiffStage, Name: "encode", Time: 7, Count: 2}}}
	r := JoinRanks([]*DiffRun{a, b})
	if r.Ranks != 2 || r.Steps != 5 || r.Device != "x" || r.Rows[0].Time != 7 || r.Rows[0].Count != 2 || r.Rows[1].Time != 7 || r.Rows[1].Count != 3 || *r.Rows[1].CPU != 10 {
		t.Errorf("%+v", r)
	}
	if a.Rows[1].Time != 3 || *a.Rows[1].CPU != 4 {
		t.Error("a rank was changed")
	}
	if empty := JoinRanks(nil); empty.Ranks != 0 {
		t.Errorf("%+v", empty)
	}
}
