package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // pictures to begin from may be of these forms
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"reel/analyze"
	"reel/artifacts"
	"reel/control"
	"reel/internal/display"
	"reel/internal/report"
	"reel/internal/rundir"
	"reel/lantern/checkpoint"
	"reel/lantern/device"
	"reel/lantern/pipeline"
	"reel/rec"
)

// benchNeeds is what a verb wants of the bench beside the flags.
type benchNeeds struct {
	window string
	stats  bool // stage times, rates, latency; the device is synchronised for them
}

// bench is the built-in engine under its profiler: what demo and play work on.
type bench struct {
	a      *app
	engine *pipeline.Engine
	dir    string            // the run folder; a session's own is in it, or is another
	named  bool              // dir is this process's, made under a name of its own
	worker *rec.Worker       // without a profiler_config
	done   *control.Session  // with one, once it was stopped
	files  []rundir.Artifact // what a session left
}

// openBench loads the model and begins to record.
func (a *app) openBench(ctx context.Context, app string, f *engineFlags, n benchNeeds) (*bench, error) {
	cfg, err := f.profiler()
	if err != nil {
		return nil, err
	}
	if cfg.Enabled() && n.window != "" {
		return nil, misusef("--window and --profiler-config each say what is recorded; one is enough")
	}
	model, err := openModel(f.model)
	if err != nil {
		return nil, err
	}
	b := &bench{a: a}
	opt := pipeline.Options{Profiler: cfg, Session: pipeline.SessionOptions{App: app}, Log: a.logger(),
		Profile: device.Profile{Shapes: f.shapes, Stacks: f.stacks, FLOPs: f.flops, Memory: f.memory}}
	if !cfg.Enabled() {
		if err := b.record(app, f, n); err != nil {
			return nil, err
		}
		opt.Worker = b.worker
	} else if n.stats {
		opt.Session.Beside = []rec.Profiler{rec.NewStats(rec.StatsOptions{Sync: b.sync, Stamp: b.stamp})}
	}
	if b.engine, err = pipeline.Open(ctx, model, opt); err != nil {
		if b.worker != nil {
			err = errors.Join(err, b.worker.Shutdown())
		}
		return nil, err
	}
	if cfg.Enabled() {
		if _, err := b.engine.StartProfile(control.StartOptions{}); err != nil {
			return nil, errors.Join(fmt.Errorf("start of the profiler: %w", err), b.engine.Close())
		}
	}
	return b, nil
}

// openModel opens a model folder, or the built-in one.
func openModel(dir string) (fs.FS, error) {
	if dir == "" {
		return checkpoint.FS(), nil
	}
	st, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	if !st.IsDir() {
		return nil, misusef("--model %s: the folder that holds model_index.json is wanted", dir)
	}
	return os.DirFS(dir), nil
}

// record makes the recording worker as the environment would: the variables that
// are set count, the flags on top of them.
func (b *bench) record(app string, f *engineFlags, n benchNeeds) error {
	a := b.a
	set := map[string]string{rec.EnvRecord: "1"}
	if n.window != "" {
		set[rec.EnvWindow] = n.window
	}
	if n.stats {
		set[rec.EnvFDSync], set[rec.EnvFDFPS], set[rec.EnvFDLatency] = "1", "1", "1"
	}
	b.dir = a.Getenv(rundir.EnvDir)
	switch {
	case f.report != "":
		if err := os.MkdirAll(f.report, 0o755); err != nil {
			return fmt.Errorf("--report-path: %w", err)
		}
		b.dir = f.report
	case b.dir == "":
		folder, err := rundir.Create(rundir.DefaultRoot, rundir.Name(app, time.Now(), os.Getpid()))
		if err != nil {
			return err
		}
		b.dir, b.named = folder.Path(), true
		if err := folder.Close(); err != nil {
			return err
		}
	}
	set[rundir.EnvDir] = b.dir
	if n.stats { // the session writes them, step by step
		set[rec.EnvStatsPath] = ""
	}
	getenv := func(name string) string {
		if v, ok := set[name]; ok {
			return v
		}
		return a.Getenv(name)
	}
	var err error
	b.worker, err = rec.FromEnv(getenv, rec.EnvOptions{App: app, Sync: b.sync, Stamp: b.stamp, Export: artifacts.Trace, Log: a.logger()})
	if err != nil {
		return &misuse{err}
	}
	return nil
}

// statistics are where a session's statistics go, and the file that gathers them: as
// the flag says, else into the run folder where a variable asks for some. Without
// either there is none.
func (b *bench) statistics(flag string) (path string, f *rec.StatsFile) {
	on := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return b.a.Getenv(name) == "1" })
	}
	staged := on(rec.EnvSyncProfile, rec.EnvFDSync)
	switch {
	case flag != "":
		return flag, rec.NewStatsFile("device")
	case b.worker == nil || !staged && !on(rec.EnvStats, rec.EnvFDFPS, rec.EnvFDLatency):
		return "", nil
	case staged:
		return filepath.Join(b.dir, "stats.json"), rec.NewStatsFile("device")
	}
	return filepath.Join(b.dir, "stats.json"), rec.NewStatsFile("host")
}

// sync idles the device, once there is one.
func (b *bench) sync() error {
	if b.engine == nil {
		return nil
	}
	return b.engine.Sync()
}

// stamp notes a place in the device's work.
func (b *bench) stamp(ctx context.Context) func() rec.Time {
	if b.engine == nil {
		return rec.Now
	}
	return b.engine.Stamp(ctx)
}

// close ends the recording: it is complete behind it.
func (b *bench) close(ctx context.Context) error {
	var err error
	if b.engine.Control() != nil {
		s, stop := b.engine.StopProfile(context.WithoutCancel(ctx))
		b.done, b.dir, b.files, err = &s, s.Run, s.Artifacts, stop
	}
	if b.worker != nil {
		err = errors.Join(err, b.worker.Shutdown())
	}
	return errors.Join(err, b.engine.Close())
}

// tellPartial says what a run left that err ended. A request that was refused left
// nothing worth keeping.
func (b *bench) tellPartial(err error) {
	switch {
	case errors.Is(err, pipeline.ErrRequest):
		if b.named {
			_ = os.RemoveAll(b.dir) // what stays is a run without a request
		}
	case b.dir != "":
		fmt.Fprintf(b.a.Err, "what was recorded is in %s\n", display.Clean(relative(b.dir)))
	}
}

// summary prints where the time of the run went.
func (b *bench) summary() error {
	ctx, stop := interruptible()
	defer stop()
	p, err := b.a.partials(ctx, []string{relative(b.dir)}, summaryFlags{})
	if err != nil {
		return err
	}
	return report.Summary(b.a.Out, analyze.Finalize(p), b.a.layout())
}

// logger is where parts of the engine log: stderr, warnings and worse.
func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// maxImage bounds the sides of pictures that are read.
const maxImage = 1 << 14

// readImage reads a picture to begin from.
func readImage(path string) (image.Image, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() { // opening a pipe would wait
		return nil, misusef("--image %s: a file is wanted", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--image: %w", err)
	}
	defer f.Close()
	c, _, err := image.DecodeConfig(f)
	if err != nil {
		return nil, misusef("--image %s: a PNG, JPEG or GIF is wanted: %w", path, err)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxImage || c.Height > maxImage {
		return nil, misusef("--image %s: %d x %d pixels; sides of 1 to %d can be read", path, c.Width, c.Height, maxImage)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, fmt.Errorf("--image: %w", err)
	}
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, misusef("--image %s: %w", path, err)
	}
	return img, nil
}

// outputFree refuses an output that exists, before the work is done for nothing.
func outputFree(path string, force bool) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s exists; --force overwrites it", path)
	}
	if dir := filepath.Dir(path); dir != "." {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return fmt.Errorf("%s: the folder %s does not exist", path, dir)
		}
	}
	return nil
}
