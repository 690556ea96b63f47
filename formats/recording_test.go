package formats

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
	"reel/reelfile"
	"reel/timeline"
)

// TestRecording opens a recording like any other file.
func TestRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rec-0-1.reel")
	w, err := reelfile.Create(path, reelfile.Options{Clock: reelfile.NanosecondClock()})
	if err != nil {
		t.Fatal(err)
	}
	a, err := reelfile.NewAdder(w)
	if err != nil {
		t.Fatal(err)
	}
	text, err := event.ParseText(strings.NewReader("track cpu1/1 \"main\"\nrange step \"model.step[0]\" at 1ms for 2ms\n"))
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range event.All(text) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tl.Ranges.Len() != 1 || tl.Ranges.Role[0] != event.Step || tl.Ranges.Dur[0] != 2e6 || tl.Info.Format != "reel" {
		t.Errorf("%+v, format %q", tl.Ranges, tl.Info.Format)
	}
	b, _ := os.ReadFile(path)
	if _, err := Open(context.Background(), write(t, "cut.reel", string(b[:100])), Options{}); err == nil {
		t.Error("a cut header opens")
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
