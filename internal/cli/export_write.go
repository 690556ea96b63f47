package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"reel/analyze"
	"reel/internal/report"
	"reel/render/xlsx"
	"reel/write/chrome"
	"reel/write/parquet"
	"reel/write/stacks"
)

// chromeFiles copies the events of Chrome traces; anything else is written from
// the timelines.
func chromeFiles(j *exportJob) []exportFile {
	return []exportFile{{j.stem("trace") + ".reel.json.gz", func(w io.Writer) error {
		opt := chrome.Options{Roles: j.roles, Plain: j.flags.plain, Cut: j.parts, CutName: j.label}
		if slices.ContainsFunc(j.whole, func(r analyze.Rank) bool { return r.TL.Info.Format != "kineto" || !regular(r.Path) }) {
			opt.Cut = nil
			_, err := chrome.Write(j.ctx, w, j.ranks, opt)
			return err
		}
		st, err := chrome.Copy(j.ctx, w, j.whole, opt)
		j.tell(st)
		return err
	}}}
}

// tell says what of a trace could not be copied as it was.
func (j *exportJob) tell(st chrome.Stats) {
	for _, note := range st.Notes {
		j.warn("%s", note)
	}
	if st.Mended > 0 {
		j.warn("events that were no valid JSON, written anew: %d", st.Mended)
	}
	if st.Lost > 0 {
		j.warn("events that were not readable and are not in the trace: %d", st.Lost)
	}
}

func stackFiles(j *exportJob) (files []exportFile) {
	for _, r := range j.ranks {
		one := []analyze.Rank{r}
		files = append(files, exportFile{j.cutStem(fmt.Sprintf("stacks_cpu_rank%d", r.Index)) + ".txt", func(w io.Writer) error {
			return stacks.WriteCPU(w, one, stacks.Options{})
		}})
		if r.TL.Activities.Len() > 0 {
			files = append(files, exportFile{j.cutStem(fmt.Sprintf("stacks_cuda_rank%d", r.Index)) + ".txt", func(w io.Writer) error {
				return stacks.WriteDevice(w, one, stacks.Options{})
			}})
		}
	}
	return files
}

func parquetFiles(j *exportJob) (files []exportFile) {
	for _, t := range parquet.Tables() {
		name, suffix := strings.TrimSuffix(t.File(), filepath.Ext(t.File())), filepath.Ext(t.File())
		files = append(files, exportFile{j.cutStem(name) + suffix, func(w io.Writer) error { return parquet.Write(w, t, j.ranks, parquet.Options{}) }})
	}
	return files
}

// xlsx writes the workbook of a rank.
func (j *exportJob) xlsx(i int, w io.Writer) error {
	book, err := xlsx.New(xlsx.Options{Device: j.ranks[i].TL.Info.Accelerator})
	if err != nil {
		return err
	}
	defer book.Close()
	for _, by := range []analyze.OpsBy{analyze.OpsByName, analyze.OpsByShape, analyze.OpsByStack} {
		rep := analyze.Ops(j.ranks[i].TL, analyze.OpsOptions{By: by, Calls: 8})
		if err := book.Add(&rep); err != nil {
			return err
		}
	}
	return book.Write(w)
}

// table returns the operator table of each rank.
func (j *exportJob) table(by analyze.OpsBy) []*analyze.OpsReport {
	if j.ops == nil {
		j.ops = map[analyze.OpsBy][]*analyze.OpsReport{}
	}
	if j.ops[by] == nil {
		for _, r := range j.ranks {
			rep := analyze.Ops(r.TL, analyze.OpsOptions{By: by, Calls: 8})
			j.ops[by] = append(j.ops[by], &rep)
		}
	}
	return j.ops[by]
}

// allOps is the operator table of all ranks together.
func (j *exportJob) allOps() *analyze.OpsReport {
	all := j.table(analyze.OpsByName)
	if len(all) == 1 {
		return all[0]
	}
	return report.MergeOps(all, 0)
}

// document is the summary of all ranks.
func (j *exportJob) document() *analyze.Document {
	if j.doc == nil {
		var parts []*analyze.Partial
		for _, r := range j.ranks {
			s, d := analyze.Examine(r.TL, j.roles, analyze.ExamineOptions{})
			parts = append(parts, analyze.NewPartial(r.TL, s, d))
		}
		j.doc = analyze.Finalize(analyze.MergeAll(parts...))
	}
	return j.doc
}
