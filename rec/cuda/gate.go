// Package cuda opens and closes the range of an outer profiler of CUDA programs,
// which is how a Go program has nsys record a session or a window alone:
//
//	nsys profile --capture-range=cudaProfilerApi --capture-range-end=repeat ./paint
//
// It calls cudaProfilerStart and cudaProfilerStop in libcudart, opened at run time,
// and cudaDeviceSynchronize on request. It starts no Nsight, records nothing itself
// and looks at no device. It works in programs built with the tag "cuda": such a
// program is linked with the C library on Linux, which others need not be.
package cuda

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"reel/internal/nsight"
)

// ErrTag is the error of a program that was built without the tag.
var ErrTag = errors.New(`this program cannot open libcudart: it was built without the tag "cuda"; build it with -tags cuda`)

// Gate is the range of an outer profiler: a control.Switch and a rec.Switch. Its
// zero value works. Its methods may be called at the same time.
type Gate struct {
	// Log gets the warning that no collector seems attached, and which library is
	// used; slog.Default when nil.
	Log *slog.Logger
	// Getenv is os.Getenv when nil.
	Getenv func(string) string

	mu     sync.Mutex
	opened bool
	lib    runtimeLibrary
	err    error
	warned bool
}

// runtimeLibrary is libcudart.
type runtimeLibrary struct {
	path              string
	start, stop, sync func() error
}

func (g *Gate) getenv() func(string) string {
	if g.Getenv != nil {
		return g.Getenv
	}
	return os.Getenv
}

func (g *Gate) log() *slog.Logger {
	if g.Log != nil {
		return g.Log
	}
	return slog.Default()
}

// Ready opens libcudart, where the loader (LD_LIBRARY_PATH), CUDA_HOME or CUDA_PATH
// lead to it, unless that has happened. The error is ErrTag or names what was tried.
func (g *Gate) Ready() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.opened {
		g.opened = true
		if g.lib, g.err = open(g.getenv()); g.err == nil {
			g.log().LogAttrs(context.Background(), slog.LevelDebug, "cuda", slog.String("library", g.lib.path))
		}
	}
	return g.err
}

// Library returns the name under which libcudart was opened, "" before Ready.
func (g *Gate) Library() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lib.path
}

// On begins the range. It warns, once, when nobody seems to record it.
func (g *Gate) On() error {
	if err := g.Ready(); err != nil {
		return err
	}
	g.mu.Lock()
	first := !g.warned
	g.warned = true
	g.mu.Unlock()
	if first {
		for _, w := range g.Warnings() {
			g.log().Warn("cuda: " + w)
		}
	}
	return g.lib.start()
}

// Off ends the range.
func (g *Gate) Off() error {
	if err := g.Ready(); err != nil {
		return err
	}
	return g.lib.stop()
}

// Sync waits until the device has done what it was told to: what Options.Sync of
// packages rec and control is for in a program of one device.
func (g *Gate) Sync() error {
	if err := g.Ready(); err != nil {
		return err
	}
	return g.lib.sync()
}

// Warnings says that no collector seems attached, so that the range reaches nobody;
// nothing when one does.
func (g *Gate) Warnings() []string {
	if _, ok := nsight.Attached(g.getenv()); ok {
		return nil
	}
	return []string{"no collector seems attached, so nobody records the range: start the program under nsys profile --capture-range=cudaProfilerApi"}
}
