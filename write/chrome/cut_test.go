package chrome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/samples"
	"reel/internal/synth"
	"reel/timeline"
)

// cutOf copies the part of a rank that spans take, and reads it again.
func cutOf(t *testing.T, r analyze.Rank, spans ...analyze.Span) (analyze.Rank, []byte, Stats) {
	t.Helper()
	var windows []timeline.Window
	for _, s := range spans {
		windows = append(windows, timeline.Window{From: s.Start, To: s.End})
	}
	text, st := copied(t, []analyze.Rank{r}, Options{Cut: []timeline.Selection{timeline.Select(windows...)}, CutName: "a test"})
	return opened(t, bytes.NewReader(text), "cut.json"), text, st
}

// TestCutSteps cuts each step and each stage out of a diffusion run: a summary of
// the cut shows it, with the numbers that it has in the whole.
func TestCutSteps(t *testing.T) {
	list := []string{"kineto/tl_mi300x_flux1_xdit_graph.json.gz", "kineto/tl_mi300x_sd35_xdit.json.gz"}
	if raceEnabled {
		t.Skip("large samples: read without the race detector")
	}
	for _, name := range list {
		r := openFile(t, samples.File(t, name))
		roles := roleTable(t)
		whole := analyze.Summarize(r.TL, roles)
		for i, s := range r.Derived.Steps {
			if i > 0 && !long() {
				break
			}
			cut, text, st := cutOf(t, r, s)
			got := analyze.Summarize(cut.TL, roles)
			t.Logf("%s step %d: %d events of %d, %d bytes", name, i, st.Copied, st.Copied+st.Cut, len(text))
			if len(got.Steps) != 1 {
				t.Errorf("step %d: the cut has %d steps", i, len(got.Steps))
				continue
			}
			g, w := got.Steps[0], whole.Steps[i]
			g.Index, g.Start, g.Request, g.Loop, w.Start, w.Request, w.Loop = w.Index, 0, 0, 0, 0, 0, 0
			if a, b := asJSON(t, g), asJSON(t, w); a != b {
				t.Errorf("step %d: %s\nwant %s", i, a, b)
			}
			checkArrows(t, text)
		}
		var stages []analyze.StageInfo
		for _, s := range whole.Stages {
			if s.Steps == 0 {
				stages = append(stages, s)
			}
		}
		for i, s := range r.Derived.Stages {
			if i < len(r.Derived.Stages)-1 && !long() {
				continue
			}
			cut, text, _ := cutOf(t, r, s)
			got := analyze.Summarize(cut.TL, roles)
			if len(got.Stages) != 1 || len(got.Steps) > 0 {
				t.Errorf("stage %s: the cut has %d stages, %d steps", s.Name, len(got.Stages), len(got.Steps))
				continue
			}
			g, w := got.Stages[0], stages[i]
			g.Start, g.Request, w.Start, w.Request = 0, 0, 0, 0
			if a, b := asJSON(t, g), asJSON(t, w); a != b {
				t.Errorf("stage %s: %s\nwant %s", s.Name, a, b)
			}
			checkArrows(t, text)
		}
	}
}

// checkArrows checks that arrows have both ends, and that activities and
// their launches are together.
func checkArrows(t *testing.T, text []byte) {
	t.Helper()
	items, keys := listOf(t, text)
	if string(keys["reel_cut"]) != `"a test"` {
		t.Errorf("the cut is called %s", keys["reel_cut"])
	}
	begins, ends := map[string]int{}, map[string]int{}
	calls, work := map[int64]bool{}, map[int64]bool{}
	for _, item := range items {
		var e struct {
			Ph, Cat, Name string
			ID            json.RawMessage
			Args          struct{ Correlation int64 }
		}
		if err := json.Unmarshal(item, &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Ph == "s":
			begins[e.Name+string(e.ID)]++
		case e.Ph == "f":
			ends[e.Name+string(e.ID)]++
		case e.Cat == "cuda_runtime" || e.Cat == "cuda_driver":
			calls[e.Args.Correlation] = true
		case e.Cat == "kernel" || e.Cat == "gpu_memcpy" || e.Cat == "gpu_memset":
			work[e.Args.Correlation] = true
		}
	}
	for id := range begins {
		if ends[id] == 0 {
			t.Errorf("arrow %s has no end", id)
		}
	}
	for id := range ends {
		if begins[id] == 0 {
			t.Errorf("arrow %s has no beginning", id)
		}
	}
	for id := range work {
		if id != 0 && !calls[id] {
			t.Errorf("an activity of call %d has no call", id)
		}
	}
	if len(ends) == 0 {
		t.Log("no arrows")
	}
}

// made returns a rank of a made-up run, in a file.
func made(t *testing.T, o synth.Options) analyze.Rank {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := synth.Write(f, o); err != nil {
		t.Fatal(err)
	}
	f.Close()
	return openFile(t, path)
}

// TestCutMarked cuts steps that are not to be recognised in what is left of the
// trace: the cut says which they are.
func TestCutMarked(t *testing.T) {
	roles := roleTable(t)
	for name, r := range map[string]analyze.Rank{
		"repetition": made(t, synth.Options{Steps: 5}),
		"graph":      made(t, synth.Options{Steps: 5, Graph: true, Vendor: synth.ROCm}),
		"guidance":   guided(t),
	} {
		whole := analyze.Summarize(r.TL, roles)
		if len(whole.Steps) < 2 {
			t.Errorf("%s: only %d steps", name, len(whole.Steps))
		}
		for i, s := range r.Derived.Steps {
			cut, text, _ := cutOf(t, r, s)
			got := analyze.Summarize(cut.TL, roles)
			if len(got.Steps) != 1 || got.Steps[0].Evidence != analyze.ByRange || !bytes.Contains(text, []byte(`"user_annotation,step"`)) {
				t.Errorf("%s: %d steps: %+v", name, len(got.Steps), got.Steps)
				continue
			}
			g, w := got.Steps[0], whole.Steps[i]
			g.Index, g.Start, g.Request, w.Start, w.Request, g.Loop = w.Index, 0, 0, 0, 0, w.Loop
			g.Name, g.Evidence = w.Name, w.Evidence
			if a, b := asJSON(t, g), asJSON(t, w); a != b {
				t.Errorf("%s: step %d: %s\nwant %s", name, i, a, b)
			}
		}
	}
}

// guided is a run whose steps call the denoiser twice: for the prompt and without.
func guided(t *testing.T) analyze.Rank {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"with_stack": 1, "traceEvents": [`)
	at, id := 1000, 1
	event := func(cat, name, more string, start, dur int) {
		if b.Len() > 40 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"ph": "X", "cat": "%s", "name": "%s", "ts": %d, "dur": %d, %s}`, cat, name, start, dur, more)
	}
	const host = `"pid": 7, "tid": 8`
	event("python_function", "nn.Module: T5EncoderModel_0", host, 100, 500)
	for range 3 {
		for range 2 {
			event("python_function", "nn.Module: WanModel_0", host, at, 90)
			event("cuda_runtime", "cudaLaunchKernel", fmt.Sprintf(`%s, "args": {"correlation": %d}`, host, id), at+10, 5)
			event("kernel", "gemm", fmt.Sprintf(`"pid": 0, "tid": 7, "args": {"correlation": %d}`, id), at+1000, 80)
			at, id = at+100, id+1
		}
		event("python_function", "schedulers/scheduling_unipc.py(10): step", host, at, 20)
		at += 50
	}
	b.WriteString("]}")
	path := filepath.Join(t.TempDir(), "guided.json")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return openFile(t, path)
}

// TestCutIsCut compares cuts of a source with those of its timeline: they hold the
// same.
func TestCutIsCut(t *testing.T) {
	names := []string{"kineto/tl_h100_vit.json.gz", "kineto/hta_a100_alexnet_extid_eq_corr.json.gz", "kineto/tl_mi210_gpu_only.json.gz", "kineto/hta_mi250_rocm62.json.gz"}
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, name := range names {
		r := openFile(t, samples.File(t, name))
		for range 4 {
			w := timeline.Window{From: r.TL.Origin + rnd.Int64N(r.TL.End-r.TL.Origin)}
			w.To = w.From + rnd.Int64N(r.TL.End-w.From+1)
			sel := timeline.Select(w)
			if rnd.IntN(2) == 0 {
				sel = sel.Running()
			}
			text, _ := copied(t, []analyze.Rank{r}, Options{Cut: []timeline.Selection{sel}, CutName: "a test", Plain: true})
			want := timeline.Cut(r.TL, sel)
			if want.Ranges.Len()+want.Activities.Len() == 0 {
				continue
			}
			got := opened(t, bytes.NewReader(text), "cut.json")
			marks := bytes.Count(text, []byte(`"user_annotation,`))
			if got.TL.Ranges.Len() != want.Ranges.Len()+marks || got.TL.Activities.Len() != want.Activities.Len() ||
				len(got.TL.Marks.At) != len(want.Marks.At) || got.TL.Linked != want.Linked {
				t.Errorf("%s from %d to %d: %d ranges, %d activities, %d marks, %+v; want %d + %d, %d, %d, %+v", name, w.From, w.To,
					got.TL.Ranges.Len(), got.TL.Activities.Len(), len(got.TL.Marks.At), got.TL.Linked,
					want.Ranges.Len(), marks, want.Activities.Len(), len(want.Marks.At), want.Linked)
			}
		}
	}
}
