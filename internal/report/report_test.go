package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/display"
)

func TestShortName(t *testing.T) {
	for in, want := range map[string]string{
		"aten::mm": "aten::mm",
		"void at::native::vectorized_elementwise_kernel<4, at::native::Gelu(int)::{lambda()#1}>(int, float)": "at::native::vectorized_elementwise_kernel<…>",
		"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)":                                               "ncclKernel_AllReduce_RING_LL_Sum_float",
		"void (anonymous namespace)::fused<__half>(__half*)":                                                 "fused<…>",
		"a::b<c<d>>::e<f>(g)":            "a::b<…>::e<…>",
		"a::operator->(int)":             "a::operator->(int)", // no bracket
		"a::b<unclosed":                  "a::b<unclosed",
		"model.py(12): forward":          "model.py(12): forward",
		"Memcpy HtoD (Pinned -> Device)": "Memcpy HtoD (Pinned -> Device)",
		"(int)":                          "(int)",
	} {
		if got := ShortName(in); got != want {
			t.Errorf("ShortName(%q) = %q, want %q", in, got, want)
		}
	}
	if got := fitName("void a::long_name<int>(float)", 20); got != "a::long_name<…>" {
		t.Errorf("got %q", got)
	}
	if got := fitName("triton_poi_fused_addmm_gelu_view_15", 20); display.Width(got) != 20 {
		t.Errorf("got %q", got)
	}
}

func TestCallsText(t *testing.T) {
	stack := []string{"<built-in function linear>", "torch/nn/modules/linear.py(130): forward", "nn.Module: Linear_3",
		"torch/nn/modules/module.py(1779): _call_impl", "app/models/clip.py(341): forward"}
	if got := callsText(stack, Options{Width: 80}); got != "linear.py(130): forward" {
		t.Errorf("got %q", got)
	}
	if got := callsText(stack, Options{}); got != "linear.py(130): forward ← clip.py(341): forward" {
		t.Errorf("got %q", got)
	}
	if got := callsText(stack[:1], Options{}); got != "<built-in function linear>" {
		t.Errorf("got %q", got)
	}
	if got := callsText([]string{"odd"}, Options{}); got != "odd" {
		t.Errorf("got %q", got)
	}
}

func TestWords(t *testing.T) {
	got := words("took 12.5 ms, of 3 things\nor 40 %; 3" + nbsp + "op")
	if want := []string{"took", "12.5 ms,", "of", "3", "things", "or", "40 %;", "3" + nbsp + "op"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFraction(t *testing.T) {
	for want, v := range map[string][2]int64{"a sixth": {8, 49}, "a third": {1, 3}, "a tenth": {10, 100}, "4 %": {4, 100},
		"<1 %": {1, 1000}, "0 %": {0, 5}, "half": {1, 2}} {
		if got := fraction(v[0], v[1]); got != want {
			t.Errorf("fraction(%d, %d) = %q, want %q", v[0], v[1], got, want)
		}
	}
}

// TestStrip: the median has half the height, twice of it the whole, and wide
// strips are folded.
func TestStrip(t *testing.T) {
	p := &page{}
	p.strip([]int64{100, 100, 200, 100, 0, 50, 900}, "steps")
	if got := p.String(); got != "  ▄▄█▄▁▂█\n" {
		t.Errorf("got %q", got)
	}
	p = &page{Options: Options{Width: 12}}
	took := slices.Repeat([]int64{10}, 25)
	took[7] = 20
	p.strip(took, "steps")
	if got := p.String(); got != "  ▄▄█▄▄▄▄▄▄\n  each cell\n  is the\n  longest of\n  3 steps\n" {
		t.Errorf("got %q", got)
	}
}

// TestManyRanks: long lists are cut, and say so.
func TestManyRanks(t *testing.T) {
	d := &analyze.Document{}
	for i := range 100 {
		d.Ranks = append(d.Ranks, analyze.RankSummary{Rank: i, Duration: 5, GPU: &analyze.GPU{Span: 5, Busy: 3, Idle: 2, BusyPercent: 60}})
		d.Sources = append(d.Sources, analyze.Source{Complete: i > 0})
	}
	var b strings.Builder
	if err := Summary(&b, d, Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"100 ranks", "1 file is cut", "… and 36 more ranks; --json has all"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// TestOutliersAreBounded names the first ones and counts the rest.
func TestOutliersAreBounded(t *testing.T) {
	p := &page{}
	var list []outlier
	for i := range 20 {
		list = append(list, outlier{fmt.Sprintf("step %d", i), 30})
	}
	p.outliers(list, 10)
	if got := p.String(); !strings.HasPrefix(got, "  outliers: step 0 (30 ns, 3.00× the median), step 1") || !strings.HasSuffix(got, ", 12 more\n") {
		t.Errorf("got %q", got)
	}
}
