package walk_test

import (
	"strings"
	"testing"

	"reel/event"
	"reel/internal/walk"
	"reel/internal/walk/walktest"
	"reel/timeline"
)

const partsText = `track cpu1/1
range stage "pipeline.encode" at 10us for 10us
range step "model.step[0]" at 30us for 10us
range runtime "launch" at 35us for 1us cause 1
range step "model.step[1]" at 40us for 10us
track gpu0/7
gpu "k" at 60us for 1us cause 1
gpu "lost" at 35us for 1us
`

func TestParts(t *testing.T) {
	r := walktest.Text(t, partsText)
	p := walk.NewParts(r.TL, r.Derived)
	for at, want := range map[int64]string{9: " ", 10: "encode ", 20: " ", 30: "diffuse 0", 39: "diffuse 0", 40: "diffuse 1", 50: " "} {
		stage, step := p.Names(p.At(0, at*1000))
		if got := stage + " " + step; got != want {
			t.Errorf("at %d us: %q, want %q", at, got, want)
		}
	}
	for i, want := range []string{"", "diffuse"} { // by start: lost, then k
		if stage, _ := p.Names(p.OfActivity(i)); stage != want {
			t.Errorf("activity %d: %q, want %q", i, stage, want)
		}
	}
	if none := walk.NewParts(r.TL, nil); none.At(0, 35000) != 0 || none.OfActivity(1) != 0 || none.Span(0) != nil {
		t.Error("parts of nothing")
	}
}

func TestLoopsAreNamed(t *testing.T) {
	r := walktest.Text(t, partsText+"track cpu1/1\nrange stage \"pipeline.decode\" at 52us for 1us\nrange step \"model.step[0]\" at 55us for 10us\n")
	p := walk.NewParts(r.TL, r.Derived)
	if _, step := p.Names(p.At(0, 60_000)); step != "loop1:0" {
		t.Errorf("step %q", step)
	}
}

func TestParseCall(t *testing.T) {
	for text, want := range map[string]string{
		"a/b/pipeline.py(120): __call__": "pipeline.py: __call__",
		"torch/nn/__init__.py(1): f":     "nn/__init__.py: f",
		"x (y).py(7): <listcomp>":        "x (y).py: <listcomp>",
		"<string>(1): f":                 "<string>: f",
		"nn.Module: Linear_3":            "",
		"<built-in method x of type>":    "",
		"(1): f":                         "",
		"a.py(99999999999): f":           "",
		"a.py(-1): f":                    "",
	} {
		got := ""
		if c, ok := walk.ParseCall(text); ok {
			got = c.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTree(t *testing.T) {
	var tr walk.Tree
	if tr.Len() != 1 {
		t.Error("a new tree has its root alone")
	}
	a := tr.Child(0, 5)
	if tr.Child(0, 5) != a || tr.Child(a, 5) == a || tr.Child(0, 6) == a {
		t.Error("children are told apart by parent and frame")
	}
	n := a
	for range 5000 {
		n = tr.Child(n, 1)
	}
	if tr.Len() > 2100 {
		t.Errorf("%d nodes: depth is not bounded", tr.Len())
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		t    timeline.Track
		want string
	}{
		{timeline.Track{Name: " main ", Track: event.Track{Place: event.Thread, B: 4}}, "main"},
		{timeline.Track{Track: event.Track{Place: event.Thread, B: 4}}, "thread 4"},
		{timeline.Track{Track: event.Track{Place: event.Stream, B: 7}}, "stream 7"},
		{timeline.Track{Track: event.Track{Place: event.Logical, Label: "model\xff"}}, "model\uFFFD"},
		{timeline.Track{}, "no track"},
	} {
		if got := walk.TrackName(&c.t); got != c.want {
			t.Errorf("%+v: %q, want %q", c.t, got, c.want)
		}
	}
}

func TestFrameName(t *testing.T) {
	for name, want := range map[string]string{"ProfilerStep#12": "ProfilerStep*", "ProfilerStep": "ProfilerStep", "aten::mm": "aten::mm", "": ""} {
		if got := walk.FrameName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestIsProgram(t *testing.T) {
	tl := walktest.Text(t, `track cpu-1/0
range overhead "Buffer Flush" at 1us for 1us
track cpu1/1
range other "x" at 1us for 1us
track Spans
range other "Record Window" at 1us for 1us
track model
range "model.step" at 1us for 1us
`).TL
	var got []string
	for _, id := range tl.HostTracks() {
		if walk.IsProgram(tl, id) {
			got = append(got, walk.TrackName(&tl.Tracks[id]))
		}
	}
	if s := strings.Join(got, ","); s != "thread 1,model" {
		t.Error(s)
	}
}
