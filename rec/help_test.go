package rec

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"reel/event"
	"reel/reelfile"
)

// quiet is a log that nobody reads.
var quietLog = slog.New(slog.DiscardHandler)

// recorder records into memory.
func recorder(t testing.TB, opt Options) *Recorder {
	t.Helper()
	opt.Heap = true
	if opt.Log == nil {
		opt.Log = quietLog
	}
	r, err := Open("", opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// saved returns the events that r holds, without names of tracks.
func saved(t testing.TB, r *Recorder) []event.Event {
	t.Helper()
	path := t.TempDir() + "/saved.reel"
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	return events(t, path)
}

func events(t testing.TB, path string) (out []event.Event) {
	t.Helper()
	src, err := reelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for e, err := range event.All(src) {
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if err == nil && e.Kind != event.Meta {
			out = append(out, e)
		}
	}
	return out
}

// brief writes events as "kind role name", one a line, without times.
func brief(list []event.Event) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString(e.Kind.String())
		if e.Role != event.NoRole {
			b.WriteString(" " + e.Role.String())
		}
		b.WriteString(" " + e.Name)
		if e.Value != 0 {
			fmt.Fprintf(&b, " value %d", e.Value)
		}
		for _, a := range e.Args {
			if a.Key == "step" || a.Key == "generation" {
				continue // the name says it
			}
			b.WriteString(" " + a.Key + "=" + a.String())
		}
		b.WriteString("\n")
	}
	return b.String()
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// tape is a Profiler of one's own: it writes down what it is told.
type tape struct {
	Noop
	log *strings.Builder
}

type tapeEnd struct {
	log  *strings.Builder
	name string
}

func (e tapeEnd) End() { fmt.Fprintf(e.log, "/%s ", e.name) }

func (p tape) Range(_ context.Context, name string) Range {
	fmt.Fprintf(p.log, "%s ", name)
	return RangeOf(tapeEnd{p.log, name})
}

func (p tape) Event(_ context.Context, name string, count int, step StepID) {
	fmt.Fprintf(p.log, "%s*%d ", step.Label(name), count)
}
