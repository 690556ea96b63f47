package analyze

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// claims parts the records into those that have a rank, by it, and the others, by process.
func claims(records []*record) (said map[int][]numbered, silent [][]numbered, notes []string) {
	said = map[int][]numbered{}
	of := map[string]int{} // a process's rank
	var others []numbered
	for _, r := range records {
		n := numbered{record: r}
		if rank, ok := n.claim(); ok {
			n.rank = rank
			said[rank] = append(said[rank], n)
			of[n.process()] = rank
		} else {
			others = append(others, n)
		}
		if len(r.Names) > 1 {
			notes = append(notes, fmt.Sprintf("%s are the same recording: counted once", names(r.Names)))
		}
	}
	at := map[string]int{}
	for _, n := range others {
		p := n.process()
		rank, known := of[p]
		k, again := at[p]
		switch {
		case p != "" && known:
			n.rank = rank
			said[rank] = append(said[rank], n)
		case p != "" && again:
			silent[k] = append(silent[k], n)
		default:
			at[p] = len(silent)
			silent = append(silent, []numbered{n})
		}
	}
	return said, silent, notes
}

// rankNames are the names of files that tell their rank: of traces as vLLM-Omni and
// TensorRT-LLM write them, and of reports of nsys.
var rankNames = regexp.MustCompile(`^(?:trace_|nsys-)rank(\d{1,6})[-_.]`)

// claim is the rank that a record's file says, or its name.
func (n numbered) claim() (rank int, ok bool) {
	if n.record.Rank != nil {
		return *n.record.Rank, true
	}
	m := rankNames.FindStringSubmatch(n.name())
	if m == nil {
		return 0, false
	}
	rank, err := strconv.Atoi(m[1])
	return rank, err == nil
}

// numberedReport is the name of a report of nsys with --capture-range-end=repeat: each range
// has a number behind the same stem. It is followed by the process where there are several.
var numberedReport = regexp.MustCompile(`^(.+)\.\d+\.(?:sqlite|nsys-rep)( \(process \d+\))?$`)

// process tells recordings of one process from others; "" is unknown.
func (n numbered) process() string {
	if m := numberedReport.FindStringSubmatch(n.name()); m != nil {
		return m[1] + m[2]
	}
	if n.record.Process == 0 {
		return ""
	}
	return strconv.FormatInt(n.record.Process, 10)
}

// uncovered leaves out Reel's own recordings of a rank where a trace of the same time is
// there: it knows more of it.
func uncovered(group []numbered) (kept []numbered, notes []string) {
	for _, n := range group {
		if n.record.Source.Format == "reel" {
			if k := slices.IndexFunc(group, func(o numbered) bool { return o.record.Source.Format != "reel" && meet(n.record, o.record) }); k >= 0 {
				notes = append(notes, fmt.Sprintf("%s is of the same process and time as %s: left out here", names(n.record.Names), names(group[k].record.Names)))
				continue
			}
		}
		kept = append(kept, n)
	}
	return kept, notes
}

// meet says that two recordings overlap in time.
func meet(a, b *record) bool {
	x, y := &a.Summary, &b.Summary
	return x.StartUnix != nil && y.StartUnix != nil && *x.StartUnix < *y.StartUnix+y.Duration && *y.StartUnix < *x.StartUnix+x.Duration
}

// claimed is claim where there is one.
func (n numbered) claimed() int {
	rank, _ := n.claim()
	return rank
}
