// Package artifacts makes of a Go program's recordings what a profiler_config asks
// for, under the names that vLLM-Omni gives it: a Chrome trace, the workbook and the
// text table of operators, folded stacks. With it a session of package control
// leaves them beside the recording:
//
//	r := rec.New(rec.Options{Iteration: …})
//	c, err := control.New(cfg, control.Options{
//		Collectors: []control.Collector{artifacts.Collector(r)},
//		Exporters:  []control.Exporter{artifacts.Exporter(artifacts.Options{})},
//	})
//
// and rec.EnvOptions{Export: artifacts.Trace} makes the files that
// TLLM_TORCH_PROFILE_TRACE names Chrome traces.
//
// It decides nothing about when to record, and makes no memory snapshot: the program
// that has one gives it.
package artifacts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"reel/analyze"
	"reel/control"
	"reel/formats"
	"reel/internal/compress"
	"reel/internal/report"
	"reel/render/profilerout"
	"reel/render/xlsx"
	"reel/timeline"
	"reel/write/chrome"
	"reel/write/stacks"
)

// Options is what a recording does not hold. Its zero value works.
type Options struct {
	// Memory writes a memory snapshot of the process, the pickle that
	// pytorch.org/memory_viz opens. Without it, as on back ends that keep no
	// memory history, torch_profiler_with_memory leaves none.
	Memory func(ctx context.Context, w io.Writer) error
}

// Exporter writes what the configuration asks for as a session or window ends: the
// files that Config.Artifacts names, made of the recordings of this rank in the run
// folder; for a window, of the recording that it added. Each file is written even if
// the one before failed. Files appear whole and overwrite nothing.
func Exporter(opt Options) control.Exporter {
	return control.Exporter{Name: "artifacts", Export: func(ctx context.Context, run *control.Run) error {
		return Export(ctx, run, opt)
	}}
}

// Export is what an Exporter does.
func Export(ctx context.Context, run *control.Run, opt Options) error {
	wanted := run.Config.Artifacts(run.Rank)
	if len(wanted) == 0 {
		return nil
	}
	paths := recordings(run)
	if len(paths) == 0 {
		return errors.New("there is no recording to make artifacts of")
	}
	j := &job{run: run, opt: opt}
	if err := j.read(ctx, paths); err != nil {
		return err
	}
	var faults []error
	for _, a := range wanted {
		if err := j.write(ctx, a); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", a.Name, err))
		}
	}
	return errors.Join(faults...)
}

// recordings are the paths of the rank's recordings, or of the window's.
func recordings(run *control.Run) (paths []string) {
	for _, a := range run.Folder.Artifacts() {
		if a.Kind == control.Recording {
			paths = append(paths, filepath.Join(run.Folder.Path(), filepath.FromSlash(a.Path)))
		}
	}
	if n := len(paths); run.Window != nil && n > 0 {
		paths = paths[n-1:]
	}
	return paths
}

// job is one export.
type job struct {
	run   *control.Run
	opt   Options
	roles *analyze.Roles
	ranks []analyze.Rank // a recording each
	ops   map[analyze.OpsBy]*analyze.OpsReport
}

// read builds the timelines of the recordings.
func (j *job) read(ctx context.Context, paths []string) (err error) {
	j.ranks, j.roles, err = read(ctx, j.run.Rank, paths...)
	return err
}

func read(ctx context.Context, rank int, paths ...string) (ranks []analyze.Rank, roles *analyze.Roles, err error) {
	if roles, err = analyze.LoadRoles(); err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		src, err := formats.Open(ctx, path, formats.Options{Args: analyze.OpsArgs})
		if err != nil {
			return nil, nil, err
		}
		tl, err := timeline.Build(ctx, src, timeline.Options{Args: analyze.OpsArgs})
		if err = errors.Join(err, src.Close()); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		ranks = append(ranks, analyze.Rank{TL: tl, Derived: analyze.Derive(tl, roles), Path: path, Index: rank})
	}
	return ranks, roles, nil
}

// write writes one artifact into the run folder.
func (j *job) write(ctx context.Context, a control.ArtifactName) error {
	content := j.content(ctx, a.Kind)
	if content == nil {
		return nil
	}
	f, err := j.run.Folder.Create(j.name(a.Name), a.Kind, control.Derived)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := pack(f, a.Kind == control.Trace && j.run.Config.Gzip, content); err != nil {
		return err
	}
	_, err = f.Commit()
	return err
}

// pack writes content to w, compressed if so wanted.
func pack(w io.Writer, gzip bool, content func(io.Writer) error) error {
	kind := compress.None
	if gzip {
		kind = compress.Gzip
	}
	z, err := compress.NewWriter(kind, w, 0)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(z, 64<<10)
	err = content(b)
	if err == nil {
		err = b.Flush()
	}
	return errors.Join(err, z.Close())
}

// content returns what writes an artifact of a kind; nil for one that this program
// cannot give.
func (j *job) content(ctx context.Context, kind control.Kind) func(io.Writer) error {
	switch kind {
	case control.Trace:
		return func(w io.Writer) error {
			_, err := chrome.Write(ctx, w, j.ranks, chrome.Options{Roles: j.roles})
			return err
		}
	case control.Ops:
		return j.workbook
	case control.StacksCPU:
		return func(w io.Writer) error { return stacks.WriteCPU(w, j.ranks, stacks.Options{}) }
	case control.StacksCUDA:
		return func(w io.Writer) error { return stacks.WriteDevice(w, j.ranks, stacks.Options{}) }
	case control.ProfilerOut:
		return func(w io.Writer) error {
			return profilerout.Write(w, j.table(analyze.OpsByName), profilerout.Options{Device: j.device(), FLOPs: j.run.Config.Flops})
		}
	case control.Memory:
		if j.opt.Memory == nil {
			return nil
		}
		return func(w io.Writer) error { return j.opt.Memory(ctx, w) }
	}
	return nil
}

// workbook writes the sheets that the configuration asks for.
func (j *job) workbook(w io.Writer) error {
	reports := []*analyze.OpsReport{j.table(analyze.OpsByName)}
	if j.run.Config.Shapes {
		reports = append(reports, j.table(analyze.OpsByShape))
	}
	if j.run.Config.Stack {
		reports = append(reports, j.table(analyze.OpsByStack))
	}
	return xlsx.Write(w, xlsx.Options{Device: j.device(), AllSheets: true}, reports...)
}

// stackCalls is how many innermost calls tell stacks apart, as in PyTorch's tables.
const stackCalls = 8

// table returns the operator table of all recordings.
func (j *job) table(by analyze.OpsBy) *analyze.OpsReport {
	if rep := j.ops[by]; rep != nil {
		return rep
	}
	var all []*analyze.OpsReport
	for _, r := range j.ranks {
		rep := analyze.Ops(r.TL, analyze.OpsOptions{By: by, Calls: stackCalls})
		all = append(all, &rep)
	}
	rep := all[0]
	if len(all) > 1 {
		rep = report.MergeOps(all, 0)
	}
	if j.ops == nil {
		j.ops = map[analyze.OpsBy]*analyze.OpsReport{}
	}
	j.ops[by] = rep
	return rep
}

func (j *job) device() string { return j.ranks[0].TL.Info.Accelerator }
