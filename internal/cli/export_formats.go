package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"reel/analyze"
	"reel/internal/report"
	"reel/internal/webui"
	"reel/render/csv"
	"reel/render/html"
	"reel/render/profilerout"
	"reel/write/perfetto"
	"reel/write/pprof"
	"reel/write/speedscope"
)

// exportFormat is one value of --to.
type exportFormat struct {
	name, about string
	viewer      string // what opens its files
	args        bool   // needs arguments of ranges
	packed      bool   // its files are compressed in themselves
	files       func(*exportJob) []exportFile
}

// exportFile is a file that a format makes.
type exportFile struct {
	name  string // the standard one
	write func(w io.Writer) error
}

func exportFormats() []exportFormat {
	return []exportFormat{
		{"chrome", "Chrome trace JSON: every event of the source, and what Reel found", "ui.perfetto.dev or chrome://tracing", false, false, chromeFiles},
		{"perfetto", "Perfetto's own form", "ui.perfetto.dev", false, false, joint("trace", ".pftrace", func(j *exportJob, w io.Writer) error {
			return perfetto.Write(w, j.ranks, perfetto.Options{})
		})},
		{"xlsx", "a workbook of the operator table", "a spreadsheet program", true, true, perRank("ops_rank%d", ".xlsx", (*exportJob).xlsx)},
		{"stacks", "folded stacks of CPU and of device time", "speedscope.app or flamegraph.pl", true, false, stackFiles},
		{"speedscope", "stacks over time", "speedscope.app", false, false, joint("trace", ".speedscope.json", func(j *exportJob, w io.Writer) error {
			return speedscope.Write(w, j.ranks, speedscope.Options{})
		})},
		{"profiler-out", "the operator table as PyTorch prints it", "people", true, false, perRank("profiler_out_%d", ".txt", func(j *exportJob, i int, w io.Writer) error {
			return profilerout.Write(w, j.table(analyze.OpsByName)[i], profilerout.Options{Device: j.ranks[i].TL.Info.Accelerator})
		})},
		{"pprof", "call stacks with CPU and device time", "go tool pprof", false, true, joint("profile", ".pb.gz", func(j *exportJob, w io.Writer) error {
			return pprof.Write(w, j.ranks, pprof.Options{})
		})},
		{"parquet", "tables of ranges, activities, launches and what Reel found", "DuckDB, pandas, Polars", false, true, parquetFiles},
		{"csv", "the tables of summary and ops", "programs", true, false, func(j *exportJob) []exportFile {
			return []exportFile{
				{j.stem("summary") + ".csv", func(w io.Writer) error { return csv.Write(w, report.SummaryRows(j.document())) }},
				{j.stem("ops") + ".csv", func(w io.Writer) error { return csv.Write(w, report.OpsRows(j.allOps())) }},
			}
		}},
		{"json", "the documents of summary and ops", "programs", true, false, func(j *exportJob) []exportFile {
			return []exportFile{
				{j.stem("summary") + ".reel.json", func(w io.Writer) error { return j.document().Encode(w) }},
				{j.stem("ops") + ".reel.json", func(w io.Writer) error {
					e := json.NewEncoder(w)
					e.SetEscapeHTML(false)
					return e.Encode(j.allOps())
				}},
			}
		}},
		{"html", "the summary, tables and a thinned timeline as one page", "a browser, offline too", true, false, joint("summary", ".html", func(j *exportJob, w io.Writer) error {
			return html.WriteWith(w, j.document(), j.table(analyze.OpsByName), webui.Thin(&webui.Run{Ranks: j.ranks, Roles: j.roles}))
		})},
	}
}

func exportNames() (names []string) {
	for _, f := range exportFormats() {
		names = append(names, f.name)
	}
	return names
}

func exportFormatOf(name string) exportFormat {
	all := exportFormats()
	return all[slices.IndexFunc(all, func(f exportFormat) bool { return f.name == name })]
}

// exportList describes the formats for the help.
func exportList() string {
	var b strings.Builder
	for _, f := range exportFormats() {
		fmt.Fprintf(&b, "  %-13s %s\n", f.name, f.about)
	}
	return b.String()
}

// stem is the standard name of a file for all ranks, without its suffix.
func (j *exportJob) stem(name string) string {
	if len(j.ranks) == 1 {
		name += fmt.Sprintf("_rank%d", j.ranks[0].Index)
	}
	return j.cutStem(name)
}

func (j *exportJob) cutStem(name string) string {
	if j.label != "" {
		name += "_" + j.label
	}
	return name
}

// joint makes one file of all ranks.
func joint(name, suffix string, write func(*exportJob, io.Writer) error) func(*exportJob) []exportFile {
	return func(j *exportJob) []exportFile {
		return []exportFile{{j.stem(name) + suffix, func(w io.Writer) error { return write(j, w) }}}
	}
}

// perRank makes a file for each rank.
func perRank(name, suffix string, write func(j *exportJob, i int, w io.Writer) error) func(*exportJob) []exportFile {
	return func(j *exportJob) (files []exportFile) {
		for i, r := range j.ranks {
			files = append(files, exportFile{j.cutStem(fmt.Sprintf(name, r.Index)) + suffix, func(w io.Writer) error { return write(j, i, w) }})
		}
		return files
	}
}
