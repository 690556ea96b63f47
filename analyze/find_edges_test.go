package analyze

import (
	"os"
	"slices"
	"testing"
)

// TestFindingsEdges: what a finding must not take for what it looks for, and must find all
// the same.
func TestFindingsEdges(t *testing.T) {
	for _, c := range []struct {
		file, id string
		found    bool
		why      string
	}{
		{"warmprec", "precision", false, "32 bits in a warm-up alone"},
		{"warmattn", "attention-kernel", false, "unfused in a warm-up alone"},
		{"warmattn", "layout-conversion", false, "layouts in a warm-up alone"},
		{"mem1", "memory-growth", true, "grows in a loop"},
		{"mem2", "memory-growth", true, "grows in each loop, and is freed between them"},
		{"enccpu", "repeated-encode", false, "calls on the host, of unequal work"},
		{"rep", "frame-pacing", true, "refreshes without a new frame"},
		{"drop", "frame-pacing", true, "frames that were never shown, in few intervals"},
	} {
		text, err := os.ReadFile("testdata/edges/" + c.file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		_, d := Examine(timelineOf(t, string(text)), builtin(t), ExamineOptions{})
		if got := slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.ID == c.id }); got != c.found {
			t.Errorf("%s: %s found %v, %s", c.file, c.id, got, c.why)
		}
	}
}

// TestMemoryOfFirstEvent: the level before the first event is what it says is allocated,
// less what it allocates; growth counts from there.
func TestMemoryOfFirstEvent(t *testing.T) {
	m := Memory(timelineOf(t, `track cpu1/1
range op "a" at 0ms for 9ms
mark devmem "[memory]" at 1ms value 100 args {"Total Allocated": 1100, "Device Id": 0}
mark devmem "[memory]" at 2ms value -100 args {"Total Allocated": 1000, "Device Id": 0}
`)).Device
	if m.Start != 1000 || m.End != 1000 || m.Peak != 1100 {
		t.Errorf("%+v", m)
	}
}
