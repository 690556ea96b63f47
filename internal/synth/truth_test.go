package synth

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// xEvent is an X event read back from the text.
type xEvent struct {
	Ph, Cat, Name string
	Pid, Tid      json.RawMessage
	Ts, Dur       json.Number
	Args          map[string]json.RawMessage
	start, end    int64
}

// nanos reads decimal microseconds without going through a float.
func nanos(t *testing.T, n json.Number) int64 {
	whole, fraction, _ := strings.Cut(string(n), ".")
	v, err := strconv.ParseInt(whole+(fraction + "000")[:3], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func readBack(t *testing.T, text []byte) []xEvent {
	var root struct{ TraceEvents []xEvent }
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var all []xEvent
	for _, e := range root.TraceEvents {
		if e.Ph == "X" {
			e.start = nanos(t, e.Ts)
			e.end = e.start + nanos(t, e.Dur)
			all = append(all, e)
		}
	}
	return all
}

// TestTruthAgreesWithTheText reads the trace back and attributes its activities
// by correlation and by what encloses the launch.
func TestTruthAgreesWithTheText(t *testing.T) {
	for _, o := range variants() {
		if !o.Python {
			continue
		}
		o.Seed = 11
		b, truth := text(t, o)
		count := map[string]int{}
		launch := map[string]int64{}
		calls := map[string][]interval{}
		all := readBack(t, b)
		for _, e := range all {
			count[e.Cat]++
			if strings.HasPrefix(e.Cat, "cuda_") {
				launch[string(e.Args["correlation"])] = e.start
			}
			if module, ok := strings.CutPrefix(e.Name, "nn.Module: "); ok {
				calls[module] = append(calls[module], interval{e.start, e.end})
			}
		}
		for cat, n := range truth.Categories {
			if count[cat] != n {
				t.Errorf("%+v: %d %s events, truth says %d", o, count[cat], cat, n)
			}
		}
		var work []launched
		for _, e := range all {
			if isActivity(e) {
				work = append(work, launched{launch[string(e.Args["correlation"])], interval{e.start, e.end}})
			}
		}
		checkOwners(t, work, calls, truth, o)
	}
}

type launched struct {
	at int64
	interval
}

func checkOwners(t *testing.T, work []launched, calls map[string][]interval, truth Truth, o Options) {
	if !o.Absolute && truth.BaseNS != baseNS {
		t.Errorf("%+v: base is %d", o, truth.BaseNS)
	}
	shift := int64(baseNS) - truth.BaseNS
	check := func(name string, c Cost) {
		call := interval{c.StartNS + shift, c.StartNS + shift + c.CPUNS}
		if !slices.Contains(calls[name], call) {
			t.Errorf("%+v: no call of %s at %+v", o, name, c)
		}
		var v []interval
		for _, w := range work {
			if w.at >= call.start && w.at < call.end {
				v = append(v, w.interval)
			}
		}
		busy, span := union(v), int64(0)
		for _, x := range v {
			span = max(span, x.end-v[0].start)
		}
		if len(v) != c.Activities || busy != c.BusyNS || span != c.SpanNS {
			t.Errorf("%+v: %s: %d activities, busy %d, span %d; truth says %+v", o, name, len(v), busy, span, c)
		}
	}
	for _, s := range truth.Stages {
		check(s.Name, s.Cost)
	}
	for _, s := range truth.Steps {
		check(s.Name, s.Cost)
	}
	if r := len(truth.Requests); len(truth.Stages) != 3*r || len(truth.Steps) != o.Steps*r {
		t.Errorf("%d stages and %d steps in %d requests", len(truth.Stages), len(truth.Steps), r)
	}
}

func isActivity(e xEvent) bool {
	return e.Cat == "kernel" || e.Cat == "gpu_memcpy" || e.Cat == "gpu_memset"
}

func TestDeviceTotals(t *testing.T) {
	b, truth := text(t, Options{Seed: 5, Collectives: true, WorldSize: 2, Requests: 3})
	var all, compute, comm []interval
	for _, e := range readBack(t, b) {
		v := interval{e.start, e.end}
		switch {
		case !isActivity(e):
			continue
		case strings.HasPrefix(e.Name, "nccl"):
			comm = append(comm, v)
		case e.Cat != "gpu_memcpy":
			compute = append(compute, v)
		}
		all = append(all, v)
	}
	g := truth.GPU
	under := union(compute)
	exposed := union(append(comm, compute...)) - under
	if len(all) != g.Activities || union(all) != g.BusyNS || under != g.ComputeNS || union(comm) != g.CommNS || exposed != g.ExposedCommNS {
		t.Errorf("read back %d activities, busy %d, compute %d, exposed %d; truth says %+v", len(all), union(all), under, exposed, g)
	}
	if g.ExposedCommNS == 0 || g.ExposedCommNS >= g.CommNS {
		t.Errorf("communication %d should be exposed in part, but %d is", g.CommNS, g.ExposedCommNS)
	}
	owned := truth.Outside.Activities
	for _, s := range truth.Stages {
		owned += s.Activities
	}
	for _, s := range truth.Steps {
		owned += s.Activities
	}
	if owned != g.Activities {
		t.Errorf("%d of %d activities are accounted for", owned, g.Activities)
	}
}

// TestPlausible holds what a real trace holds: host events nest, streams do one
// thing at a time, and nothing runs before it was launched.
func TestPlausible(t *testing.T) {
	for _, o := range variants() {
		b, _ := text(t, o)
		launch := map[string]int64{}
		rows := map[string][]xEvent{}
		for _, e := range readBack(t, b) {
			if strings.HasPrefix(e.Cat, "cuda_") {
				launch[string(e.Args["correlation"])] = e.start
			}
			if e.Cat != "Trace" && e.Cat != "gpu_user_annotation" {
				key := string(e.Pid) + "/" + string(e.Tid)
				rows[key] = append(rows[key], e)
			}
		}
		for row, v := range rows {
			checkRow(t, row, v, launch, o)
		}
	}
}

func checkRow(t *testing.T, row string, v []xEvent, launch map[string]int64, o Options) {
	sort.SliceStable(v, func(i, j int) bool {
		return v[i].start < v[j].start || v[i].start == v[j].start && v[i].end > v[j].end
	})
	var open []int64
	for _, e := range v {
		for len(open) > 0 && open[len(open)-1] <= e.start {
			open = open[:len(open)-1]
		}
		if len(open) > 0 && (e.end > open[len(open)-1] || isActivity(e)) {
			t.Fatalf("%+v: row %s: %s at %d overlaps what is open", o, row, e.Name, e.start)
		}
		open = append(open, e.end)
		if at, ok := launch[string(e.Args["correlation"])]; isActivity(e) && (!ok || at > e.start) {
			t.Fatalf("%+v: row %s: %s at %d was launched at %d", o, row, e.Name, e.start, at)
		}
	}
}

func TestFirstStepIsSlowAndDecodeIsHidden(t *testing.T) {
	_, truth := text(t, Options{Python: true})
	if a, b := truth.Steps[0].CPUNS, truth.Steps[4].CPUNS; a < b*3/2 {
		t.Errorf("step 0 takes %d ns, step 4 %d", a, b)
	}
	if s := truth.Steps[4]; s.BusyNS*2 > s.SpanNS {
		t.Errorf("step 4 keeps the device busy: %+v", s)
	}
	if d := truth.Stages[2]; d.Stage != "decode" || d.CPUNS*3 > d.BusyNS {
		t.Errorf("the host sees most of %+v", d)
	}
}
