package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"reel/analyze"
	"reel/formats"
	"reel/rec/startup"
)

// isStartup tells a start-up report, or a folder that holds nothing else, from traces.
func isStartup(path string) bool {
	st, err := os.Stat(path)
	if err != nil {
		return false
	}
	if st.IsDir() {
		reports := filesIn(path, "startup", ".json")
		traces, _, err := formats.Files(path)
		for _, t := range traces {
			if !isStartup(t) {
				return false
			}
		}
		return len(reports) > 0 && (err != nil || len(traces) > 0)
	}
	if !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512) // the type is the second member
	n, _ := io.ReadFull(f, head)
	return bytes.Contains(head[:n], []byte(`"artifact_type"`)) && bytes.Contains(head[:n], []byte(`"`+startup.ArtifactType+`"`))
}

// diffStartups reads start-up reports: each repetition is a run. Runs with a cold and
// with a warm page cache are never compared.
func diffStartups(sides [2][]string, cache string) (runs [2][]*analyze.DiffRun, err error) {
	var sets [2][]startup.Set
	for side, args := range sides {
		for _, arg := range args {
			r, err := readStartups([]string{arg})
			if err != nil {
				return runs, err
			}
			sets[side] = append(sets[side], r.Sets()...)
		}
	}
	if cache == "" {
		if cache, err = commonCache(sets); err != nil {
			return runs, err
		}
	}
	for side := range sets {
		for _, set := range sets[side] {
			if set.Cache != cache {
				continue
			}
			for _, run := range set.Runs {
				runs[side] = append(runs[side], phasesOf(&run, sides[side][0]))
			}
		}
		if len(runs[side]) == 0 {
			return runs, fmt.Errorf("%s: no run with a page cache that was %s", strings.Join(sides[side], ", "), cacheText(cache))
		}
	}
	return runs, nil
}

// commonCache is the state of the page cache that both sides have.
func commonCache(sets [2][]startup.Set) (string, error) {
	var common []string
	have := [2]map[string]bool{{}, {}}
	for side := range sets {
		for _, s := range sets[side] {
			if side == 1 && have[0][s.Cache] && !have[1][s.Cache] {
				common = append(common, s.Cache)
			}
			have[side][s.Cache] = true
		}
	}
	switch len(common) {
	case 0:
		return "", fmt.Errorf("the page cache was in another state on each side: the start-ups do not compare")
	case 1:
		return common[0], nil
	}
	return "", misusef("both sides have runs with a cold and with a warm page cache: --cache says which to compare")
}

func cacheText(s string) string {
	if s == "" {
		return "not looked at"
	}
	return s
}

// phasesOf is a start-up as a run: the whole, and its phases by their path. Those deeper
// than the second level say where a change comes from, and are no regressions of their own.
func phasesOf(r *startup.Report, path string) *analyze.DiffRun {
	run := &analyze.DiffRun{Path: path, Device: r.Environment.Hardware, Rank: r.Rank, Ranks: 1}
	run.Rows = append(run.Rows, analyze.Measured{Kind: analyze.DiffPhase, Name: "start-up", Time: r.Duration, Count: 1, Gated: true})
	for _, row := range (startup.Set{Runs: []startup.Report{*r}}).Rows() {
		run.Rows = append(run.Rows, analyze.Measured{Kind: analyze.DiffPhase, Name: row.Path, Time: row.Duration, Count: 1,
			Gated: row.Depth < 2 && row.Path != "other"})
	}
	return run
}
