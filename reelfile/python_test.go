package reelfile

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"reel/event"
	"reel/internal/samples"
)

// TestReferenceWriter reads what the Python reference writer makes: alone, with
// a forked child that has a file of its own, and killed.
func TestReferenceWriter(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	const events = 3000 // more than a chunk
	for _, c := range []struct {
		how      string
		files    int
		warnings string
	}{{"", 1, ""}, {"fork", 2, ""}, {"kill", 1, "not-closed:1 unfinished:2"}} {
		dir := t.TempDir()
		out, err := exec.Command(python, filepath.Join(root, "python", "reference", "writer.py"), dir, fmt.Sprint(events), c.how).CombinedOutput()
		if len(out) > 0 || err != nil && c.how != "kill" {
			t.Fatalf("%s: %v\n%s", c.how, err, out)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "rec-*.reel"))
		if len(files) != c.files {
			t.Errorf("%q left %v", c.how, files)
		}
		for _, f := range files {
			got, info := contents(t, f)
			if warnings(info) != c.warnings || info.Producer != "reference writer" || *info.Rank != 3 || !info.Complete || info.Host == "" {
				t.Errorf("%q: %+v", c.how, info)
			}
			if filepath.Base(f) != "rec-"+info.Props["pid"]+".reel" {
				t.Errorf("%s is of process %s", f, info.Props["pid"])
			}
			checkReference(t, got, events)
		}
	}
}

func checkReference(t *testing.T, got []event.Event, events int) {
	t.Helper()
	var marks, steps [2]int
	work, gpu := 0, 0
	for _, e := range got {
		switch {
		case e.Kind == event.Mark:
			if e.Name != "mark" || e.Value != int64(marks[e.Track.B]) {
				t.Fatalf("%+v", e)
			}
			marks[e.Track.B]++
		case e.Role == event.Step:
			if e.Name != fmt.Sprintf("step[%d]", steps[e.Track.B]) || e.Dur < 0 || e.Dur > 10e9 || e.Start < 0 || e.Start > 60e9 {
				t.Fatalf("%+v", e)
			}
			steps[e.Track.B]++
		case e.Role == event.Stage && e.Name == "work" && e.Dur > 0:
			work++
		case e.Kind == event.Activity && e.Class == event.Kernel && e.Link == 4711 && e.Dur == 1000 && e.Track.B == 7:
			gpu++
		}
	}
	if marks != [2]int{events, events} || steps != marks || work != 2 || gpu != 1 {
		t.Errorf("%v marks, %v steps, %d ranges of work, %d activities", marks, steps, work, gpu)
	}
}
