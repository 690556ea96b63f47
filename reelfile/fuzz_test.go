package reelfile

import (
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
)

// FuzzRoundTrip writes the events of a text into a recording and reads them again.
func FuzzRoundTrip(f *testing.F) {
	f.Add(sampleText)
	for line := range strings.Lines(sampleText) {
		f.Add(line)
	}
	f.Fuzz(roundTrip)
}

func roundTrip(t *testing.T, text string) {
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		return
	}
	events := drain(t, src)
	w, err := Create("", Options{Heap: true, Clock: NanosecondClock(), MaxBytes: 1 << 26})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	a, err := NewAdder(w)
	if err != nil {
		t.Fatal(err)
	}
	const far = farAway / 4
	var want []event.Event
	for _, e := range events {
		name, isName := threadName(e)
		long := len(e.Name)+len(e.Track.Label)+len(name) > 4000 || len(e.Args) > 60
		for _, x := range e.Args {
			long = long || len(x.Key)+len(x.Text) > 4000
		}
		if long || e.Start < -far || e.Start > far || e.Dur < 0 || e.Dur > far || isName || e.Kind == event.Meta && e.Dur != 0 {
			continue // beyond what a recording holds, or what a track's chunk tells
		}
		if ok, err := a.Add(e); err != nil || !ok {
			t.Fatalf("%+v: %v %v", e, ok, err)
		}
		want = append(want, e)
	}
	path := filepath.Join(t.TempDir(), "rec.reel")
	if err := w.Save(path); err != nil {
		t.Fatal(err)
	}
	got, info := contents(t, path)
	if g, w := strings.Join(lines(t, got), "\n"), strings.Join(lines(t, want), "\n"); g != w || len(info.Warnings) > 0 {
		t.Errorf("got\n%s\nwant\n%s\n%v", g, w, info.Warnings)
	}
}
