package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"reel/analyze"
	"reel/formats"
	"reel/internal/nsysstats"
	"reel/internal/rundir"
	"reel/internal/webui"
	"reel/timeline"
)

// watcher reads a run for the page, and again when its files have changed.
type watcher struct {
	a     *app
	f     *viewFlags
	args  []string
	files []input
	seen  map[string]stamp
}

// stamp is what changes when a file does.
type stamp struct {
	size int64
	at   time.Time
}

// again returns the run anew when its files have changed, else nil.
func (w *watcher) again(ctx context.Context) (*webui.Run, error) {
	if now := w.look(); len(now) == len(w.seen) && !slices.ContainsFunc(w.files, func(f input) bool { return now[f.path] != w.seen[f.path] }) && now[w.note()] == w.seen[w.note()] {
		return nil, nil
	}
	return w.read(ctx)
}

// note is the path of the run's note, "" without one.
func (w *watcher) note() string {
	if dir := folderOf(w.args, w.files); dir != "" {
		return filepath.Join(dir, rundir.RunFile)
	}
	return ""
}

// look stamps the files of the run, and those that have come.
func (w *watcher) look() map[string]stamp {
	now := map[string]stamp{}
	paths := []string{w.note()}
	for _, f := range w.files {
		paths = append(paths, f.path)
	}
	for _, arg := range w.args {
		if more, folder, err := formats.Files(arg); err == nil && folder {
			paths = append(paths, more...)
		}
	}
	for _, p := range paths {
		if st, err := os.Stat(p); err == nil {
			now[p] = stamp{st.Size(), st.ModTime()}
		}
	}
	return now
}

// read reads the run.
func (w *watcher) read(ctx context.Context) (*webui.Run, error) {
	a := w.a
	roles, err := w.f.table()
	if err != nil {
		return nil, err
	}
	files, err := a.inputs(w.args)
	if err != nil {
		return nil, err
	}
	if len(w.args) == 0 && len(files) > 0 { // the latest run stays the one that was meant
		w.args = []string{filepath.Dir(files[0].path)}
	}
	w.files = files
	w.seen = w.look() // before reading: what comes meanwhile is read again
	keep := slices.Concat(analyze.OpsArgs, nsysstats.Args)
	opt := loadOptions{read: formats.Options{NoPython: w.f.noPython, Args: keep, MarkArgs: analyze.MemoryArgs}, keep: timeline.Options{Args: keep, MarkArgs: analyze.MemoryArgs}}
	covered := coverage{}
	var mu sync.Mutex
	read := make([]*examined, len(files))
	err = a.load(ctx, files, opt, func(i int, tl *timeline.Timeline) error {
		s, d := analyze.Examine(tl, roles, analyze.ExamineOptions{Coverage: covered.of(files, i, tl.Info.Rank)})
		x := &examined{rank: analyze.Rank{TL: tl, Derived: analyze.Derive(tl, roles), Path: files[i].path}, summary: s, part: analyze.NewPartial(tl, s, d)}
		mu.Lock()
		defer mu.Unlock()
		read[i] = x
		return nil
	})
	if err != nil {
		return nil, err
	}
	run := &webui.Run{Title: title(w.args, files), Roles: roles}
	run.Document, run.Ranks = finish(slices.DeleteFunc(read, func(x *examined) bool { return x == nil }))
	w.describe(run)
	return run, nil
}

// examined is one file that was read.
type examined struct {
	rank    analyze.Rank
	summary analyze.RankSummary
	part    *analyze.Partial
}

// finish makes the document, and brings the timelines into the order of its ranks.
func finish(read []*examined) (*analyze.Document, []analyze.Rank) {
	var parts []*analyze.Partial
	for _, x := range read {
		parts = append(parts, x.part)
	}
	d := analyze.Finalize(analyze.MergeAll(parts...))
	var ranks []analyze.Rank
	for i, r := range d.Ranks {
		same := func(x *examined) bool {
			return i < len(d.Sources) && filepath.Base(x.rank.Path) == d.Sources[i].Path && x.summary.Duration == r.Duration && x.summary.Producer == r.Producer
		}
		k := max(0, slices.IndexFunc(read, same))
		if k >= len(read) {
			break
		}
		rank := read[k].rank
		rank.Index = r.Rank
		ranks = append(ranks, rank)
		read = slices.Delete(read, k, k+1)
	}
	return d, ranks
}

// describe adds what lies beside the traces.
func (w *watcher) describe(run *webui.Run) {
	dir := folderOf(w.args, w.files)
	for _, r := range run.Ranks {
		st, err := os.Stat(r.Path)
		run.Live = run.Live || !r.TL.Info.Complete && err == nil && time.Since(st.ModTime()) < recently
	}
	if dir == "" {
		return
	}
	run.Folder = dir
	if folder, err := rundir.Join(dir); err == nil {
		run.Files = folder.Scan()
		_ = folder.Close() // it was read only
	}
	if note, err := rundir.Read(dir); err == nil {
		run.Note = &note
		if note.App != "" && len(note.Ranks) > 0 && !note.Ranks[0].Started.IsZero() {
			run.Title = fmt.Sprintf("%s · %s", note.App, note.Ranks[0].Started.Local().Format("2 Jan 15:04"))
		}
	}
	if len(startupFiles(dir)) > 0 {
		if r, err := readStartups([]string{dir}); err == nil {
			run.Startup = r
		}
	}
}

// recently is how long after its last change an unfinished recording counts as one
// that still grows.
const recently = 10 * time.Second
