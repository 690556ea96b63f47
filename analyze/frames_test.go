package analyze

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/golden"
)

// TestFramesText: the reports on text traces.
func TestFramesText(t *testing.T) {
	files, _ := filepath.Glob("testdata/frames/*.txt")
	if len(files) == 0 {
		t.Fatal("no text traces")
	}
	for _, file := range files {
		tl := textTimeline(t, strings.TrimPrefix(file, "testdata/"))
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetIndent("", " ")
		r := Frames(tl, FrameOptions{List: true})
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
		for i := range r.Shown {
			story, err := FollowFrame(tl, i)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Encode(story); err != nil {
				t.Fatal(err)
			}
		}
		golden.String(t, strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txt")+".json", out.String())
	}
}

// TestFramesRules pins what the numbers of the session file are.
func TestFramesRules(t *testing.T) {
	r := Frames(textTimeline(t, "frames/session.txt"), FrameOptions{})
	got := fmt.Sprint(r.Shown, *r.Generated, *r.Dropped, *r.Waiting, *r.Repeated, r.Steps, r.Resets,
		r.Latency.Batches, r.Latency.Shown, r.Latency.Unshown)
	// Shown 7 of 10; dropped one of step 3 and, by the reset, one of step 4.
	if want := "7 10 2 1 1 6 1 4 3 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if l := r.Latency; l.Total.Max != 57e6 || l.Queue.Max != 32e6 || l.Step.Max != 20e6 || l.Present.Max != 5e6 {
		t.Errorf("%+v", l)
	}
}

// TestFramesChunkMarks: marks that stand for chunks, as FlashDreams writes them.
func TestFramesChunkMarks(t *testing.T) {
	r := Frames(textTimeline(t, "frames/chunks.txt"), FrameOptions{})
	if r.Generated != nil || r.Dropped != nil || len(r.Notes) == 0 {
		t.Errorf("%+v", r)
	}
}

// TestFramesNone: a trace without frames says so.
func TestFramesNone(t *testing.T) {
	tl := textTimeline(t, "frames/none.txt")
	r := Frames(tl, FrameOptions{})
	if r.Shown != 0 || r.Low != nil || len(r.Notes) != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := FollowFrame(tl, 0); err == nil {
		t.Error("frame 0 was found")
	}
}

func TestStepLabel(t *testing.T) {
	for _, c := range []struct {
		name, base string
		key        frameKey
	}{
		{"present.frame", "present.frame", frameKey{}},
		{"present.frame [step 5]", "present.frame", frameKey{0, 5, true}},
		{"present.frame [gen 2, step 5]", "present.frame", frameKey{2, 5, true}},
		{"present.frame [gen x, step 5]", "present.frame [gen x, step 5]", frameKey{}},
		{"a [step -1]", "a [step -1]", frameKey{}},
		{"a [step 99999999999999999999]", "a [step 99999999999999999999]", frameKey{}},
		{" [", " [", frameKey{}},
		{"]", "]", frameKey{}},
	} {
		if base, key := parseStepLabel(c.name); base != c.base || key != c.key {
			t.Errorf("%q: %q %+v", c.name, base, key)
		}
	}
}
