package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"reel/event"
	"reel/formats"
	"reel/timeline"
)

// input is one file to read.
type input struct {
	path     string
	inFolder bool  // found in a folder: may turn out to be no trace
	process  int64 // of a file of several ranks: which; else 0
}

// name is the input's name for people.
func (in input) name() string {
	if in.process != 0 {
		return fmt.Sprintf("%s (process %d)", filepath.Base(in.path), in.process)
	}
	return filepath.Base(in.path)
}

// loadOptions say what to read of each file, and what to keep.
type loadOptions struct {
	read formats.Options
	keep timeline.Options
	each bool // go on when a file fails; the error is then loadErrors
	// python, when set, is asked with a file's header whether its Python calls are
	// needed after all, although read.NoPython says no.
	python func(event.Info) bool
}

// loadErrors are the errors of single files, by their place in the list; nil for
// those that were read.
type loadErrors []error

func (l loadErrors) Error() string { return firstError(l).Error() }
func (l loadErrors) Unwrap() error { return firstError(l) }

// load reads the inputs, as many at once as there are processors, and hands
// each timeline to take, together with its place in the list; take is called
// from several goroutines. It returns the error of the first file in the list
// that failed.
func (a *app) load(ctx context.Context, files []input, opt loadOptions, take func(int, *timeline.Timeline) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	procs := runtime.GOMAXPROCS(0)
	opt.read.Workers = max(1, procs/len(files))
	bar := a.startProgress(files)
	defer bar.stop()
	opt.read.Progress = bar.add
	errs := make([]error, len(files))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(procs, len(files)) {
		wg.Go(func() {
			for i := range next {
				tl, err := loadOne(ctx, files[i], opt)
				if err == nil {
					err = take(i, tl)
				}
				if errs[i] = err; err != nil && !opt.each && !files[i].stray(err) {
					cancel() // the rest is not needed
				}
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
	bar.stop()
	a.passOver(files, errs)
	if err := firstError(errs); err == nil || !opt.each {
		return err
	}
	return loadErrors(errs)
}

// stray reports whether a file only lay in the folder that was asked for, and is
// no trace.
func (in input) stray(err error) bool { return in.inFolder && errors.Is(err, formats.ErrUnknown) }

// passOver tells of the files in folders that are no traces, and forgets their
// errors, unless there was no trace at all.
func (a *app) passOver(files []input, errs []error) {
	if !slices.Contains(errs, nil) {
		return
	}
	for i, in := range files {
		if in.stray(errs[i]) {
			a.warn("passed over: %v", errs[i])
			errs[i] = nil
		}
	}
}

// loadOne reads one file whole, or one rank of it.
func loadOne(ctx context.Context, in input, opt loadOptions) (*timeline.Timeline, error) {
	path := in.path
	opt.read.Process = in.process
	if opt.python != nil && !regular(path) {
		opt.read.NoPython = false // what is read once cannot be asked first
	}
	src, err := formats.Open(ctx, path, opt.read)
	if err == nil && opt.read.NoPython && opt.python != nil && opt.python(src.Info()) {
		src.Close()
		opt.read.NoPython = false
		src, err = formats.Open(ctx, path, opt.read)
	}
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return timeline.Build(ctx, src, opt.keep)
}

func regular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// firstError returns the first error that is not a consequence of another.
func firstError(errs []error) error {
	var first error
	for _, err := range errs {
		if err != nil && (first == nil || errors.Is(first, context.Canceled)) {
			first = err
		}
	}
	return first
}

// size returns the bytes of a file, 0 when unknown.
func (in input) size() int64 {
	st, err := os.Stat(in.path)
	if err != nil {
		return 0
	}
	return st.Size()
}
