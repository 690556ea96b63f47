package analyze

import (
	"fmt"
	"strings"
	"testing"
)

// recordingText is a window of a process: steps of a request, from a Unix time on.
func recordingText(pid int, base int64, step int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "info base %dns\ntrack cpu%d/%d\nrange request \"generate\" at 0ms for 100ms\n", base, pid, pid)
	for i := range 4 {
		fmt.Fprintf(&b, "range step \"denoise[%d]\" at %dms for %dms\n", i, 10+20*i, step)
	}
	return b.String()
}

func recordingPart(t *testing.T, name, format string, text string) *Partial {
	tl := timelineOf(t, text)
	tl.Info.Path, tl.Info.Format = name, format
	return newPartial(tl, builtin(t))
}

// TestOneProcess: the windows of a process are recordings of one rank, not ranks; a trace
// of the same time stands for Reel's own recording.
func TestOneProcess(t *testing.T) {
	const base = int64(1_700_000_000_000_000_000)
	windows := []*Partial{
		recordingPart(t, "rec-0-7-loop0.reel", "reel", recordingText(7, base, 10)),
		recordingPart(t, "rec-0-7-loop1.reel", "reel", recordingText(7, base+1e9, 15)),
	}
	d := Finalize(MergeAll(windows...))
	if d.RankCount() != 1 || len(d.Ranks) != 2 || d.Ranks[1].Rank != 0 || len(d.Findings) != 0 || len(d.Warnings) != 0 || d.Clock != nil || d.Skew != nil {
		t.Errorf("%d ranks in %d recordings, findings %v, warnings %q", d.RankCount(), len(d.Ranks), d.Findings, d.Warnings)
	}
	trace := recordingPart(t, "trace_rank0-loop1.json.gz", "kineto", recordingText(7, base+1e9, 15))
	d = Finalize(MergeAll(append(windows, trace)...))
	if d.RankCount() != 1 || len(d.Sources) != 2 || d.Sources[1].Path != "trace_rank0-loop1.json.gz" || !strings.Contains(strings.Join(d.Warnings, "\n"), "rec-0-7-loop1.reel is of the same process") {
		t.Errorf("%+v, %q", d.Sources, d.Warnings)
	}
	if d.Totals == nil || d.Totals.Records != 2 || d.Totals.Steps.CPU.Count != 8 {
		t.Errorf("totals %+v", d.Totals)
	}
	// At the same time, they are of two.
	other := recordingPart(t, "other.reel", "reel", recordingText(7, base, 11))
	if d = Finalize(MergeAll(windows[0], other)); d.RankCount() != 2 {
		t.Errorf("%d ranks", d.RankCount())
	}
}

// TestRankOfName: reports of nsys, and traces, tell their rank in their names.
func TestRankOfName(t *testing.T) {
	const base = int64(1_700_000_000_000_000_000)
	var parts []*Partial
	for i, name := range []string{"nsys-rank10-node1-7.sqlite", "nsys-rank2-node1-8.sqlite", "trace_rank3.json", "x_rank4.json"} {
		parts = append(parts, recordingPart(t, name, "nsys", recordingText(20+i, base, 10)))
	}
	d := Finalize(MergeAll(parts...))
	var got []int
	for _, r := range d.Ranks {
		got = append(got, r.Rank)
	}
	if fmt.Sprint(got) != "[0 2 3 10]" || d.Sources[3].Path != "nsys-rank10-node1-7.sqlite" {
		t.Errorf("%v %+v", got, d.Sources)
	}
}

// TestNumberedReports: what nsys wrote of one process is one rank, without absolute times too.
func TestNumberedReports(t *testing.T) {
	part := func(name string) *Partial {
		return recordingPart(t, name, "nsys", strings.Replace(recordingText(7, 5, 10+len(name)), "info base 5ns\n", "info host \""+name+"\"\n", 1))
	}
	d := Finalize(MergeAll(part("n-7.10.sqlite"), part("n-7.2.sqlite"), part("n-8.1.sqlite")))
	if d.RankCount() != 2 || d.Sources[0].Path != "n-7.2.sqlite" || d.Sources[1].Path != "n-7.10.sqlite" || d.Ranks[2].Rank != 1 {
		t.Errorf("%d ranks, %+v", d.RankCount(), d.Sources)
	}
}

// TestSkewByWaits: ranks whose steps are equally long wait for one of them; the limit is
// the user's; a warm-up does not count.
func TestSkewByWaits(t *testing.T) {
	const base = int64(1_700_000_000_000_000_000)
	part := func(rank int, late int) *Partial {
		var b strings.Builder
		fmt.Fprintf(&b, "info rank %d\ninfo base %dns\ntrack cpu%d/1\nrange request warmup \"warm-up\" at 0ms for %dms\n", rank, base, rank+1, 50+100*rank)
		for i := range 20 {
			fmt.Fprintf(&b, "range request \"generate\" at %dms for 20ms\nrange runtime \"cudaLaunchKernel\" at %dms for 1us cause %d\n", 500+20*i, 501+20*i, i+1)
		}
		b.WriteString("track gpu0/7\n")
		for i := range 20 {
			fmt.Fprintf(&b, "gpu kernel \"ncclDevKernel_AllReduce_Sum\" at %dms for %dms cause %d\n", 502+20*i+late, 16-late, i+1)
		}
		tl := timelineOf(t, b.String())
		tl.Info.Path = fmt.Sprintf("rank%d.txt", rank)
		return newPartial(tl, builtin(t))
	}
	skewed := func(limits Limits) (list []Finding) {
		for _, f := range FinalizeLimits(MergeAll(part(0, 0), part(1, 0), part(2, 10)), limits).Findings {
			if f.ID == rankSkew {
				list = append(list, f)
			}
		}
		return list
	}
	if list := skewed(Limits{}); len(list) != 1 || *list[0].Where.Rank != 2 || !strings.Contains(list[0].Title, "waits for it") {
		t.Errorf("%+v", list)
	}
	var limits Limits
	if err := limits.Set("rank-skew=90"); err != nil {
		t.Fatal(err)
	}
	if list := skewed(limits); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}
