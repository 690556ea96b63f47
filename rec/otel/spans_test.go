package otel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"reel/event"
	"reel/rec"
)

// collect makes a provider that keeps every span that ends.
func collect() (*tracetest.SpanRecorder, *sdk.TracerProvider) {
	kept := tracetest.NewSpanRecorder()
	return kept, sdk.NewTracerProvider(sdk.WithSpanProcessor(kept))
}

// tree writes spans as an indented list, in the order in which they started.
func tree(spans []sdk.ReadOnlySpan) string {
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b sdk.ReadOnlySpan) int { return a.StartTime().Compare(b.StartTime()) })
	var b strings.Builder
	var under func(trace.SpanID, int)
	under = func(id trace.SpanID, depth int) {
		for _, s := range spans {
			if s.Parent().SpanID() != id {
				continue
			}
			fmt.Fprintf(&b, "%s%s%s", strings.Repeat("  ", depth), s.Name(), attrs(s.Attributes()))
			for _, e := range s.Events() {
				fmt.Fprintf(&b, " (%s%s)", e.Name, attrs(e.Attributes))
			}
			b.WriteString("\n")
			under(s.SpanContext().SpanID(), depth+1)
		}
	}
	under(trace.SpanID{}, 0)
	return b.String()
}

func attrs(list []attribute.KeyValue) (out string) {
	for _, a := range list {
		out += " " + strings.TrimPrefix(string(a.Key), "reel.") + "=" + a.Value.String()
	}
	return out
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// closed reports what is left of ranges that have all ended.
func closed(t *testing.T, s *Spans) {
	t.Helper()
	if len(s.open) != 0 {
		t.Errorf("%d tracks still have open ranges", len(s.open))
	}
}

func TestRequest(t *testing.T) {
	kept, provider := collect()
	s := New(provider.Tracer("test"))
	w := rec.NewWorker(s, rec.WorkerOptions{})
	err := w.Request(context.Background(), rec.RequestOptions{}, func(ctx context.Context) error {
		w.Range(ctx, "pipeline.encode").End()
		for i := range rec.Steps(ctx, 2) {
			w.Event(ctx, "present.frame", 1+i, rec.StepIn(i, 4+i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, tree(kept.Ended()), `
request role=request
  pipeline.encode role=stage
  denoise.loop role=loop
    denoise role=step index=0 (present.frame step=4)
    denoise role=step index=1 (present.frame count=2 step=5 generation=1)
`)
	closed(t, s)
}

// TestOwnSpans mixes ranges with spans that the program starts itself.
func TestOwnSpans(t *testing.T) {
	kept, provider := collect()
	tracer := provider.Tracer("test")
	s := New(tracer)
	ctx, root := tracer.Start(context.Background(), "server")
	a := s.Range(ctx, "a")
	_, lib := tracer.Start(s.Within(ctx), "library")
	lib.End()
	inner, own := tracer.Start(s.Within(ctx), "own")
	b := s.RangeAs(inner, rec.Label{Name: "b", Role: event.Forward})
	c := s.Range(ctx, "c") // with the context of a: still within b
	s.Event(inner, "hit", 1, rec.StepID{})
	c.End()
	c.End()
	b.End()
	s.Event(inner, "miss", 3, rec.StepID{})
	own.End()
	a.End()
	s.Range(ctx, "d").End()
	root.End()
	want(t, tree(kept.Ended()), `
server
  a
    library
    own (miss count=3)
      b role=forward
        c (hit)
  d
`)
	closed(t, s)
}

// TestDisorder ends ranges in an order that they should not end in, and begins
// them without a context.
func TestDisorder(t *testing.T) {
	kept, provider := collect()
	s := New(provider.Tracer("test"))
	var none context.Context
	a := s.Range(none, "a")
	b := s.Range(none, "b")
	a.End()
	c := s.Range(none, "c")
	b.End()
	c.End()
	s.Event(none, "nowhere", 1, rec.StepN(1))
	want(t, tree(kept.Ended()), "a\n  b\n    c\n")
	closed(t, s)
}

// TestNotRecorded runs with a tracer that keeps nothing and with one that samples
// nothing.
func TestNotRecorded(t *testing.T) {
	kept := tracetest.NewSpanRecorder()
	for _, p := range []trace.TracerProvider{noop.NewTracerProvider(),
		sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample()), sdk.WithSpanProcessor(kept))} {
		s := New(p.Tracer("test"))
		ctx := context.Background()
		g := s.Range(ctx, "a")
		s.Range(ctx, "b").End()
		s.Event(ctx, "e", 1, rec.StepID{})
		g.End()
		closed(t, s)
	}
	if n := len(kept.Ended()); n != 0 {
		t.Errorf("%d spans", n)
	}
}

// TestTracks has goroutines nest ranges at the same time, each on its track.
func TestTracks(t *testing.T) {
	kept, provider := collect()
	s := New(provider.Tracer("test"))
	const workers, each = 8, 200
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			ctx := rec.OnTrack(context.Background(), rec.NewTrack("worker"))
			for range each {
				outer := s.Range(ctx, fmt.Sprint("outer ", i))
				s.Range(ctx, fmt.Sprint("inner ", i)).End()
				outer.End()
			}
		})
	}
	all.Wait()
	names := map[trace.SpanID]string{}
	for _, sp := range kept.Ended() {
		names[sp.SpanContext().SpanID()] = sp.Name()
	}
	for _, sp := range kept.Ended() {
		wanted := ""
		if i, ok := strings.CutPrefix(sp.Name(), "inner "); ok {
			wanted = "outer " + i
		}
		if got := names[sp.Parent().SpanID()]; got != wanted {
			t.Fatalf("%s lies in %q", sp.Name(), got)
		}
	}
	if len(names) != workers*each*2 {
		t.Errorf("%d spans", len(names))
	}
	closed(t, s)
}
