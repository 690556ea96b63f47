package webui

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"reel/analyze"
)

func TestItemsLeadToEachOther(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	it := reply[itemJSON](t, h, "/api/item?ref=0.d0")
	if it.Name != "gemm_bf16" || it.Launch == nil || it.Launch.Name != "cudaLaunchKernel" || it.Step != "0" || len(it.Places) != 2 {
		t.Fatalf("%+v", it)
	}
	if !slices.ContainsFunc(it.Stack, func(l linkJSON) bool { return l.Name == "pipe.py(12): step" && l.Class == "python" }) {
		t.Errorf("stack %+v", it.Stack)
	}
	call := reply[itemJSON](t, h, "/api/item?ref="+it.Launch.Ref)
	if call.Work == nil || call.Work.Count != 1 || call.Work.Some[0].Ref != "0.d0" {
		t.Errorf("%+v", call.Work)
	}
	step := reply[itemJSON](t, h, "/api/item?ref=0.p2")
	if step.Class != "step" || step.Work == nil || step.Work.Sum != 5e6 {
		t.Errorf("%+v %+v", step, step.Work)
	}
}

func TestSelection(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	s := reply[selectJSON](t, h, "/api/select?from=7000000&to=12000000") // 8 to 13 ms of the trace
	if s.Ranks[0].Busy != 2e6 || s.Kernels[0].Name != "gemm_bf16" || s.Kernels[0].NS != 2e6 {
		t.Errorf("%+v", s)
	}
	var sum int64
	for _, c := range s.Calls {
		sum += c.NS
	}
	if sum != 5e6 { // own times add up to the whole
		t.Errorf("calls %+v: %d ns", s.Calls, sum)
	}
}

func TestSearchAndFind(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	s := reply[searchJSON](t, h, "/api/search?q=GEMM")
	if s.Count != 2 || s.Names != 1 || s.Hits[0].Sum != 11e6 || s.Hits[0].Ref != "0.d1" {
		t.Errorf("%+v", s)
	}
	next := reply[linkJSON](t, h, "/api/find?q=gemm&t=10000000")
	back := reply[linkJSON](t, h, "/api/find?q=gemm&t=22000000&dir=prev")
	none := reply[linkJSON](t, h, "/api/find?q=gemm&t=22000000")
	if next.Ref != "0.d1" || back.Ref != "0.d0" && back.Ref != "0.d1" || none.Ref != "" {
		t.Errorf("next %q, back %q, none %q", next.Ref, back.Ref, none.Ref)
	}
}

// TestCutNamesAreFound: tables give names cut in their middle.
func TestCutNamesAreFound(t *testing.T) {
	long := "void gemm<" + strings.Repeat("m", 300) + ">::" + strings.Repeat("n", 300) + "(bf16)"
	h := New(runOf(t, strings.ReplaceAll(small, "gemm_bf16", long)), Options{}).Handler()
	cut := reply[struct{ Rows []kernelRow }](t, h, "/api/kernels").Rows[0].Name
	for q, want := range map[string]int{cut: 2, "gemm<…(bf16)": 2, "(bf16)…gemm<": 0, "aten…": 2} {
		if s := reply[searchJSON](t, h, "/api/search?q="+url.QueryEscape(q)); s.Count != want {
			t.Errorf("%s: %d, want %d", q, s.Count, want)
		}
	}
}

// TestAThingIsFoundAgain: when the run has grown, references are others.
func TestAThingIsFoundAgain(t *testing.T) {
	was := reply[itemJSON](t, New(runOf(t, small), Options{}).Handler(), "/api/item?ref=0.d1")
	h := New(runOf(t, small+"gpu kernel \"early\" at 10.5ms for 0.1ms\n"), Options{}).Handler()
	find := func(name string) itemJSON {
		return reply[itemJSON](t, h, fmt.Sprintf("/api/again?kind=d&rank=0&start=%d&name=%s", was.Start, name))
	}
	if now := find(was.Name); now.Ref == was.Ref || now.Name != was.Name || now.Start != was.Start {
		t.Errorf("%+v is found as %+v", was, now)
	}
	if now := find("another"); now.Ref != "" {
		t.Errorf("what is not there is found as %+v", now)
	}
}

func TestFrameIsFollowed(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	f := reply[frameJSON](t, h, "/api/frame?n=2")
	var what []string
	for _, c := range f.Chain {
		what = append(what, c.What)
	}
	if f.Story.Frame.Frame != 2 || !slices.Contains(what, "step") || !slices.Contains(what, "device") || what[len(what)-1] != "shown" {
		t.Errorf("%v", what)
	}
	if w := ask(h, "/api/frame?n=99"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "there are frames 0 to 2") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestFlameAddsUp(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	for by, want := range map[string]int64{"cpu": 40e6, "device": 11e6} {
		f := reply[flameJSON](t, h, "/api/flame?by="+by)
		var self int64
		for _, ns := range f.Self {
			self += ns
		}
		if f.Total != want || self != want {
			t.Errorf("%s: total %d, own times %d, want %d", by, f.Total, self, want)
		}
	}
	part := reply[flameJSON](t, h, "/api/flame?by=cpu&from=7000000&to=12000000")
	if part.Total != 5e6 {
		t.Errorf("of a selection of 5 ms: %d ns", part.Total)
	}
}

func TestTablesAnswer(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	for _, by := range []string{"name", "shape", "stack"} {
		if o := reply[analyze.OpsReport](t, h, "/api/ops?by="+by); len(o.Rows) == 0 {
			t.Errorf("by %s: no rows", by)
		}
	}
	if k := reply[struct{ Rows []kernelRow }](t, h, "/api/kernels"); len(k.Rows) != 1 || k.Rows[0].Count != 2 || k.Rows[0].Class != "matrix" {
		t.Errorf("%+v", k)
	}
	for _, name := range reportNames() {
		if r := reply[statsJSON](t, h, "/api/stats?report="+name); r.Skipped == "" && len(r.Cols) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	c := reply[struct{ Curves []curveJSON }](t, h, "/api/curves")
	if !slices.ContainsFunc(c.Curves, func(c curveJSON) bool { return c.Name == "queue" && slices.Equal(c.V, []int64{3, 9}) }) {
		t.Errorf("%+v", c)
	}
}

func TestCompare(t *testing.T) {
	slow := strings.Replace(small, `"gemm_bf16" at 23ms for 6ms`, `"gemm_bf16" at 23ms for 9ms`, 1)
	h := New(runOf(t, small), Options{Other: runOf(t, slow)}).Handler()
	c := reply[compareJSON](t, h, "/api/compare")
	if len(c.Work) != 1 || c.Work[0].delta() != 3e6 || len(c.Steps) != 1 || len(c.Steps[0].A) != 2 {
		t.Errorf("%+v", c)
	}
	same := reply[compareJSON](t, New(runOf(t, small), Options{Other: runOf(t, small)}).Handler(), "/api/compare")
	if len(same.Work)+len(same.Ops)+len(same.Stage) != 0 || same.Same.Kernels != 1 {
		t.Errorf("%+v", same)
	}
}
