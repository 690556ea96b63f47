package analyze

import (
	"bytes"
	"os"
	"testing"

	"reel/event"
	"reel/timeline"
)

// FuzzMeasureRun compares whatever trace with itself: nothing differs.
func FuzzMeasureRun(f *testing.F) {
	for _, name := range []string{"testdata/diff/run.txt", "testdata/document/rank0.txt"} {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(text, false)
			f.Add(text, true)
		}
	}
	roles := builtin(f)
	f.Fuzz(func(t *testing.T, text []byte, one bool) {
		src, err := event.ParseText(bytes.NewReader(text))
		if err != nil {
			return
		}
		tl, err := timeline.Build(t.Context(), src, timeline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		opt := MeasureOptions{Exact: one}
		if one {
			opt.Request = new(0)
		}
		run := []*DiffRun{JoinRanks([]*DiffRun{MeasureRun(tl, roles, opt)})}
		for _, r := range Compare(run, run, DiffOptions{Exact: one}).Rows {
			if r.Delta != 0 || r.Verdict != DiffSame {
				t.Fatalf("%+v", r)
			}
		}
	})
}
