package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reel/internal/display"
	"reel/internal/rundir"
	"reel/render/csv"
	"reel/render/markdown"
	"reel/render/text"
	"reel/table"
)

// holds writes what a run holds: "3 recording, 1 trace".
func (o runInfo) holds() string {
	order := []rundir.Kind{rundir.Recording, rundir.Trace, rundir.NsysReport, rundir.NsysExport, rundir.Ops, rundir.StacksCPU, rundir.StacksCUDA,
		rundir.Memory, rundir.ProfilerOut, rundir.Stats, rundir.Other}
	var parts []string
	for _, k := range order {
		if n := o.Holds[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.TrimPrefix(string(k), "nsys-")))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// end writes how a run ended.
func (o runInfo) end() any {
	switch {
	case o.Signal != "":
		return o.Signal
	case o.ExitCode != nil:
		return fmt.Sprintf("exit %d", *o.ExitCode)
	case o.Backend != "":
		return "running, or killed"
	}
	return nil
}

func (a *app) printRuns(dir string, runs []runInfo, form string) error {
	if form == asJSON {
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(runsDocument{runsSchema, dir, append([]runInfo{}, runs...)})
	}
	if form != asText {
		t := runsTable(runs)
		if form == asCSV {
			return csv.Write(a.Out, t)
		}
		return markdown.Write(a.Out, t)
	}
	t := runsTable(runs, "took", "ended", "size", "holds") // names tell when, as a rule
	if len(runs) == 0 {
		t.Note("no runs under %s; 'reel profile -- CMD' leaves one", dir)
	}
	return text.Write(a.Out, t, text.Options{Width: a.width(), Color: a.color()})
}

// runsTable is a table of runs, with these columns only when they are named.
func runsTable(runs []runInfo, only ...string) *table.Table {
	cols := []table.Col{{Name: "run", Align: table.Left}, {Name: "began", Unit: table.Text}, {Name: "took", Unit: table.Nanoseconds}, {Name: "ended", Unit: table.Text},
		{Name: "ranks", Unit: table.Count}, {Name: "size", Unit: table.Bytes}, {Name: "holds", Unit: table.Text}}
	keep := []int{0}
	t := table.New("runs", cols[0])
	for i, c := range cols[1:] {
		if len(only) == 0 || slices.Contains(only, c.Name) {
			t.Cols, keep = append(t.Cols, c), append(keep, i+1)
		}
	}
	for _, o := range runs {
		row := []any{display.Clean(filepath.Base(o.Path)), o.Started.UTC().Format(time.RFC3339), nil, o.end(), nil, o.Size, o.holds()}
		if o.Duration > 0 {
			row[2] = o.Duration
		}
		if o.Ranks > 0 {
			row[4] = o.Ranks
		}
		var kept []any
		for _, i := range keep {
			kept = append(kept, row[i])
		}
		t.Add(kept...)
	}
	return t
}
