package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"

	"reel/control"
	"reel/internal/rundir"
)

// torchTrace is the name of a rank's trace, with the window that it is of: what
// Reel's Python client writes.
var torchTrace = regexp.MustCompile(`^(?:.*/)?trace_rank([0-9]{1,6})(-[a-z0-9-]+)?\.json(?:\.gz)?$`)

// Traces makes of torch.profiler's traces that lie in a run folder what cfg asks for
// beside them: workbook, stacks and text, named as the trace is. Of a trace that
// cannot be read nothing is made; the error names each.
func Traces(ctx context.Context, folder *rundir.Folder, cfg control.Config) error {
	var faults []error
	for _, a := range folder.Scan() {
		m := torchTrace.FindStringSubmatch(a.Path)
		if m == nil || a.Role != rundir.Source {
			continue
		}
		rank, err := strconv.Atoi(m[1])
		if err == nil {
			err = ofTrace(ctx, folder, cfg, a.Path, rank, m[2])
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", a.Path, err))
		}
	}
	return errors.Join(faults...)
}

// ofTrace makes what belongs to one trace; tail is its window as names have it.
func ofTrace(ctx context.Context, folder *rundir.Folder, cfg control.Config, path string, rank int, tail string) error {
	j := &job{run: &control.Run{Folder: folder, Config: cfg, Rank: rank}}
	if err := j.read(ctx, []string{filepath.Join(folder.Path(), filepath.FromSlash(path))}); err != nil {
		return err
	}
	var faults []error
	for _, a := range cfg.Artifacts(rank) {
		if a.Kind == control.Trace || a.Kind == control.Memory {
			continue
		}
		stem, suffix := rundir.Split(a.Name)
		name := filepath.Join(filepath.Dir(filepath.FromSlash(path)), stem+tail+suffix)
		if err := j.derive(name, a.Kind, j.content(ctx, a.Kind)); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(faults...)
}

// derive writes a file that was made of a trace.
func (j *job) derive(name string, kind control.Kind, content func(io.Writer) error) error {
	f, err := j.run.Folder.Create(name, kind, control.Derived)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := pack(f, false, content); err != nil {
		return err
	}
	_, err = f.Commit()
	return err
}
