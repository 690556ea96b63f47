package speedscope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"reel/analyze"
	"reel/event"
	"reel/internal/golden"
	"reel/internal/synth"
	"reel/internal/walk"
	"reel/internal/walk/walktest"
	"reel/timeline"
	"reel/write/speedscope"
)

// file is speedscope's format as its schema has it.
type file struct {
	Schema             string    `json:"$schema"`
	Exporter           string    `json:"exporter"`
	Name               string    `json:"name"`
	ActiveProfileIndex int       `json:"activeProfileIndex"`
	Profiles           []profile `json:"profiles"`
	Shared             struct {
		Frames []struct {
			Name *string `json:"name"`
			File string  `json:"file"`
			Line int     `json:"line"`
		} `json:"frames"`
	} `json:"shared"`
}

type profile struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Unit       string `json:"unit"`
	StartValue int64  `json:"startValue"`
	EndValue   int64  `json:"endValue"`
	Events     []struct {
		Type  string `json:"type"`
		Frame int    `json:"frame"`
		At    int64  `json:"at"`
	} `json:"events"`
}

func write(t testing.TB, opt speedscope.Options, ranks ...analyze.Rank) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := speedscope.Write(&b, ranks, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// check reads a file strictly and returns the time covered in each profile, ns.
func check(t testing.TB, data []byte) (f file, covered []int64) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	if f.Schema != "https://www.speedscope.app/file-format-schema.json" || f.Shared.Frames == nil {
		t.Errorf("schema %q", f.Schema)
	}
	for _, fr := range f.Shared.Frames {
		if fr.Name == nil || *fr.Name == "" {
			t.Error("a frame without a name")
		}
	}
	for _, p := range f.Profiles {
		if p.Type != "evented" || p.Unit != "nanoseconds" || p.Events == nil {
			t.Errorf("%s: %s in %s", p.Name, p.Type, p.Unit)
		}
		covered = append(covered, p.check(t, len(f.Shared.Frames)))
	}
	return f, covered
}

func (p *profile) check(t testing.TB, frames int) (covered int64) {
	t.Helper()
	var open []int
	last := p.StartValue
	for i, e := range p.Events {
		if e.At < last || e.At > p.EndValue || e.Frame < 0 || e.Frame >= frames {
			t.Fatalf("%s: event %d: %+v after %d, of %d frames", p.Name, i, e, last, frames)
		}
		if len(open) > 0 {
			covered += e.At - last
		}
		last = e.At
		if e.Type == "O" {
			open = append(open, e.Frame)
		} else if n := len(open); e.Type == "C" && n > 0 && open[n-1] == e.Frame {
			open = open[:n-1]
		} else {
			t.Fatalf("%s: event %d closes what is not innermost", p.Name, i)
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: %d frames never close", p.Name, len(open))
	}
	return covered
}

func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no text traces: %v", err)
	}
	for _, path := range files {
		data := write(t, speedscope.Options{Name: filepath.Base(path)}, walktest.File(t, path))
		check(t, data)
		golden.Check(t, strings.TrimSuffix(filepath.Base(path), ".txt")+".speedscope.json", data)
	}
}

// union is the time that the rows of each profile cover, ns.
func union(r analyze.Rank) (list []int64) {
	tl := r.TL
	sum := func(lo, hi int, span func(int) (int64, int64)) {
		total, end, any := int64(0), int64(-1<<63), false
		for i := lo; i < hi; i++ {
			if s, e := span(i); e >= s {
				any = true
				total, end = total+max(0, e-max(s, end)), max(e, end)
			}
		}
		if any {
			list = append(list, total)
		}
	}
	for _, id := range tl.HostTracks() {
		if walk.IsProgram(tl, id) {
			sum(tl.Tracks[id].Lo, tl.Tracks[id].Hi, func(i int) (int64, int64) { return tl.Ranges.Start[i], tl.Ranges.End(timeline.RangeID(i)) })
		}
	}
	for _, id := range tl.DeviceTracks() {
		sum(tl.Tracks[id].Lo, tl.Tracks[id].Hi, func(i int) (int64, int64) {
			if tl.Activities.Class[i] == event.Unsound {
				return 0, -1
			}
			return tl.Activities.Start[i], tl.Activities.End(i)
		})
	}
	return list
}

func checkRank(t *testing.T, r analyze.Rank) {
	t.Helper()
	data := write(t, speedscope.Options{}, r)
	f, covered := check(t, data)
	want := union(r)
	if len(covered) != len(want) {
		t.Fatalf("%d profiles, want %d", len(covered), len(want))
	}
	for i := range want {
		if covered[i] != want[i] {
			t.Errorf("%s: %d ns, want %d", f.Profiles[i].Name, covered[i], want[i])
		}
	}
	if !bytes.Equal(data, write(t, speedscope.Options{}, r)) {
		t.Error("two runs differ")
	}
}

func TestTimes(t *testing.T) {
	for seed := range uint64(20) {
		checkRank(t, walktest.Random(t, seed, 150))
	}
	for _, name := range walktest.Samples() {
		t.Run(name, func(t *testing.T) { checkRank(t, walktest.Sample(t, name)) })
	}
}

func TestRanks(t *testing.T) {
	o := synth.Options{Steps: 2, Layers: 1, WorldSize: 2, Python: true}
	a, _ := walktest.Synth(t, o)
	o.Rank = 1
	b, _ := walktest.Synth(t, o)
	f, _ := check(t, write(t, speedscope.Options{}, a, b))
	one, _ := check(t, write(t, speedscope.Options{}, a))
	if len(f.Profiles) != 2*len(one.Profiles) || !strings.HasPrefix(f.Profiles[0].Name, "rank 0: ") || !strings.HasPrefix(f.Profiles[len(one.Profiles)].Name, "rank 1: ") {
		t.Errorf("%d profiles, the first %q", len(f.Profiles), f.Profiles[0].Name)
	}
	if len(f.Shared.Frames) >= 2*len(one.Shared.Frames) {
		t.Errorf("%d frames of two ranks, %d of one: equal ones are not shared", len(f.Shared.Frames), len(one.Shared.Frames))
	}
}

func TestHostileNames(t *testing.T) {
	if f, _ := check(t, write(t, speedscope.Options{}, walktest.Hostile(t))); len(f.Profiles) < 20 {
		t.Errorf("%d profiles", len(f.Profiles))
	}
	if f, _ := check(t, write(t, speedscope.Options{Name: "x\"\xff"})); len(f.Profiles) != 0 {
		t.Error("profiles of no rank")
	}
}

func TestErrorsOfTheWriter(t *testing.T) {
	full := walktest.Full(1000)
	if err := speedscope.Write(&full, []analyze.Rank{walktest.Random(t, 1, 100)}, speedscope.Options{}); !errors.Is(err, walktest.ErrFull) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	r := walktest.Sample(b, walktest.SD35)
	b.ReportAllocs()
	for b.Loop() {
		if err := speedscope.Write(io.Discard, []analyze.Rank{r}, speedscope.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.TL.Ranges.Len()+r.TL.Activities.Len())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mslices/s")
}
