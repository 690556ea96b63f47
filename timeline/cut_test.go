package timeline

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/golden"
)

// cutTrace has a pipeline with two steps on one thread, whose kernels run late,
// and a second thread at work meanwhile.
const cutTrace = `
info  rank 3
info  device 0 "H100"
track cpu1/1 "main"
range python "pipeline" at 0 for 100us
range annotation "step 0" at 10us for 20us
range op "mm 0" at 12us for 6us id 1 args {"Input Dims": [[1]]}
range runtime "launch 0" at 13us for 2us cause 10
range annotation "step 1" at 40us for 20us
range op "mm 1" at 42us for 6us id 2 args {"Input Dims": [[2]]}
range runtime "launch 1" at 43us for 2us cause 11
range runtime "launch late" at 61us for 2us cause 12
mark  devmem "[memory]" at 14us value 512
mark  devmem "[memory]" at 43us value 256
mark  "edge" at 60us
track cpu1/2 "loader"
range op "read" at 0 for 41us
range op "other" at 70us for 5us
track gpu0/7 "stream 7"
gpu   gpuannotation "step 0" at 29us for 22us id 99
gpu   kernel "k0" at 30us for 20us cause 10
gpu   kernel "k1" at 90us for 20us cause 11
gpu   kernel "k late" at 110us for 5us cause 12
gpu   kernel "by op" at 120us for 1us id 2
track gpu0/8
gpu   copy "lost" at 45us for 1us
gpu   copy "lost later" at 85us for 10us value 64
`

func parsed(t testing.TB, text string) *Timeline {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return build(t, src, Options{Args: []string{"Input Dims"}})
}

// TestCut takes a step: what touches it, what was launched in it, what is around.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		name string
		sel  Selection
	}{
		{"step", Select(Window{40e3, 60e3})},
		{"running", Select(Window{86e3, 91e3}).Running()},
		{"two-windows", Select(Window{60500, 62e3}, Window{12e3, 14e3}, Window{13e3, 15e3}, Window{5, 5})},
		{"nothing", Selection{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tl := parsed(t, cutTrace)
			cut := Cut(tl, c.sel)
			golden.String(t, "cut-"+c.name+".golden", dump(cut))
			if !reflect.DeepEqual(cut.Info, tl.Info) {
				t.Error("the info changed")
			}
			checkLinks(t, cut)
		})
	}
}

// checkLinks checks that every link of a timeline leads to one of its ranges.
func checkLinks(t *testing.T, tl *Timeline) {
	t.Helper()
	n := RangeID(tl.Ranges.Len())
	for i, p := range tl.Ranges.Parent {
		if p >= RangeID(i) || p < NoRange {
			t.Errorf("range %d has parent %d", i, p)
		}
	}
	for i := range tl.Activities.Start {
		if l, o := tl.Activities.Launch[i], tl.Activities.Owner[i]; l >= n || o >= n || l < NoRange || o < NoRange {
			t.Errorf("activity %d: launch %d, owner %d of %d", i, l, o, n)
		}
	}
	for _, col := range tl.rangeArgs {
		if len(col) != int(n) {
			t.Errorf("%d arguments for %d ranges", len(col), n)
		}
	}
}

// TestCutArgs checks that kept arguments follow their ranges.
func TestCutArgs(t *testing.T) {
	cut := Cut(parsed(t, cutTrace), Select(Window{40e3, 60e3}))
	for i, v := range cut.RangeArg("Input Dims") {
		want := ""
		if cut.Name(cut.Ranges.Name[i]) == "mm 1" {
			want = "[[2]]"
		}
		if cut.Name(v) != want {
			t.Errorf("%s has shapes %q", cut.Name(cut.Ranges.Name[i]), cut.Name(v))
		}
	}
}

// TestCutEverything checks that a window over all of a trace cuts nothing off,
// whatever a timeline holds.
func TestCutEverything(t *testing.T) {
	for _, file := range files(t) {
		tl := read(t, file)
		cut := Cut(tl, Select(Window{math.MinInt64 / 2, math.MaxInt64 / 2}).Running())
		if got, want := dump(cut), dump(tl); got != want && tl.Linked.Unsound == 0 {
			t.Errorf("%s:\n%s\nwant\n%s", file, got, want)
		}
	}
	tl := parsed(t, cutTrace)
	if cut := Cut(tl, Select(Window{-1, 1e9}).Running()); !reflect.DeepEqual(cut, tl) {
		t.Errorf("the cut differs in something:\n%+v\nwant\n%+v", cut, tl)
	}
}

// TestCutDisjoint cuts a random trace into two halves that share no instant: each
// activity that has a launch is in exactly one.
func TestCutDisjoint(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	src := &list{batch: 50}
	for i := range int64(300) {
		at := rnd.Int64N(10000)
		src.events = append(src.events,
			event.Event{Kind: event.Range, Class: event.Runtime, Name: "launch", Start: at, Dur: rnd.Int64N(30), Link: i + 1,
				Track: event.Track{Place: event.Thread, A: 1, B: i % 3}},
			event.Event{Kind: event.Activity, Class: event.Kernel, Name: "k", Start: at + rnd.Int64N(5000), Dur: rnd.Int64N(300), Link: i + 1,
				Track: event.Track{Place: event.Stream, A: 0, B: i % 2}})
	}
	tl := build(t, src, Options{})
	a, b := PartOf(tl, Select(Window{0, 4000})), PartOf(tl, Select(Window{4000, 1 << 40}))
	for i := range tl.Activities.Start {
		if a.HasActivity(i) == b.HasActivity(i) || a.HasActivity(i) && !a.HasRange(tl.Activities.Launch[i]) {
			t.Errorf("activity %d: %v and %v", i, a.HasActivity(i), b.HasActivity(i))
		}
	}
	if n := a.Timeline().Activities.Len() + b.Timeline().Activities.Len(); n != 300 {
		t.Errorf("%d activities in two halves, want 300", n)
	}
}
