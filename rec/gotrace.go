package rec

import (
	"context"
	"log/slog"
	"runtime/trace"
	"time"
)

// RuntimeTrace returns the Profiler whose ranges are regions and whose events are
// messages of runtime/trace, while that traces. Options.RuntimeTrace does the same
// for what a Recorder records; this one needs no recording.
func RuntimeTrace() Profiler { return goTrace{} }

type goTrace struct{ Noop }

func (goTrace) Range(ctx context.Context, name string) Range {
	if !trace.IsEnabled() {
		return Range{}
	}
	return RangeOf(trace.StartRegion(background(ctx), name))
}

func (goTrace) Event(ctx context.Context, name string, _ int, step StepID) {
	if trace.IsEnabled() {
		trace.Log(background(ctx), name, step.Label(name))
	}
}

// LogRanges returns the Profiler that logs each range as it ends, at level debug, with
// its time. Options.Ranges does the same for what a Recorder records.
func LogRanges(l *slog.Logger) Profiler { return logRanges{l: l} }

type logRanges struct {
	Noop
	l *slog.Logger
}

func (p logRanges) Range(ctx context.Context, name string) Range {
	ctx = background(ctx)
	if !p.l.Enabled(ctx, slog.LevelDebug) {
		return Range{}
	}
	return RangeOf(&logEnd{ctx, p.l, name, time.Now()})
}

// background stands in for no context.
func background(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
