package otel

import (
	"context"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"reel/event"
	"reel/rec"
)

// Keys of the attributes of spans and of their events.
const (
	Role       = attribute.Key("reel.role")       // of a range: "stage", "step", …
	Index      = attribute.Key("reel.index")      // of a range that is one of several
	Count      = attribute.Key("reel.count")      // of an event, when it is not 1
	Step       = attribute.Key("reel.step")       // of an event
	Generation = attribute.Key("reel.generation") // of the step, when it is not 0
)

// Spans is the rec.Profiler that starts a span for each range. Its methods may be
// called at the same time. New makes one.
type Spans struct {
	rec.Noop
	tracer trace.Tracer

	mu   sync.Mutex
	open map[*rec.Track][]*span // innermost last; no empty ones
}

var (
	_ rec.Profiler = (*Spans)(nil)
	_ rec.Labeler  = (*Spans)(nil)
)

// New makes a Spans that starts its spans with t.
func New(t trace.Tracer) *Spans {
	return &Spans{tracer: t, open: map[*rec.Track][]*span{}}
}

// span is a range that has begun.
type span struct {
	of        *Spans
	track     *rec.Track
	span      trace.Span
	id, under ident // its own, and that of the context it began with
}

// ident tells spans apart; the zero ident is no span.
type ident struct {
	trace trace.TraceID
	span  trace.SpanID
}

func identOf(s trace.Span) ident {
	c := s.SpanContext()
	return ident{c.TraceID(), c.SpanID()}
}

// Range starts a span: a child of the innermost range on the context's track, or
// of the context's own span when that is newer. Its name is the range's.
func (s *Spans) Range(ctx context.Context, name string) rec.Range {
	return s.RangeAs(ctx, rec.Label{Name: name})
}

// RangeAs is Range with a role and an index, which become attributes: the span's
// name stays the same for all of a loop.
func (s *Spans) RangeAs(ctx context.Context, l rec.Label) rec.Range {
	if l.Role == event.NoRole {
		l.Role = rec.RoleOf(l.Name)
	}
	var room [2]attribute.KeyValue
	attrs := room[:0]
	if l.Role != event.NoRole {
		attrs = append(attrs, Role.String(l.Role.String()))
	}
	if l.Indexed {
		attrs = append(attrs, Index.Int(l.Index))
	}
	r := &span{of: s, track: rec.TrackOf(ctx)}
	ctx, r.under = s.within(ctx, r.track)
	_, r.span = s.tracer.Start(ctx, l.Name, trace.WithAttributes(attrs...))
	r.id = identOf(r.span)
	s.mu.Lock()
	s.open[r.track] = append(s.open[r.track], r)
	s.mu.Unlock()
	return rec.RangeOf(r)
}

// End ends the span.
func (r *span) End() {
	r.span.End()
	s := r.of
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.open[r.track]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == r {
			list = slices.Delete(list, i, i+1)
			break
		}
	}
	if len(list) == 0 {
		delete(s.open, r.track)
		return
	}
	s.open[r.track] = list
}

// Event adds an event to the span that a range would be a child of; where there is
// none it does nothing.
func (s *Spans) Event(ctx context.Context, name string, count int, step rec.StepID) {
	ctx, _ = s.within(ctx, rec.TrackOf(ctx))
	to := trace.SpanFromContext(ctx)
	if !to.IsRecording() {
		return
	}
	var attrs []attribute.KeyValue
	if count != 1 {
		attrs = append(attrs, Count.Int(count))
	}
	if gen, n, ok := step.Parts(); ok {
		attrs = append(attrs, Step.Int(n))
		if gen != 0 {
			attrs = append(attrs, Generation.Int(gen))
		}
	}
	to.AddEvent(name, trace.WithAttributes(attrs...))
}

// Within returns ctx with the span of the innermost range on its track, for code
// that starts spans of its own.
func (s *Spans) Within(ctx context.Context) context.Context {
	ctx, _ = s.within(ctx, rec.TrackOf(ctx))
	return ctx
}

// within is Within, with the span that ctx had. That one stays when no open range
// of the track knows it: the program has started it since.
func (s *Spans) within(ctx context.Context, t *rec.Track) (context.Context, ident) {
	if ctx == nil {
		ctx = context.Background()
	}
	had := identOf(trace.SpanFromContext(ctx))
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.open[t]
	if len(list) == 0 {
		return ctx, had
	}
	known := func(r *span) bool { return r.id == had || r.under == had }
	if had != (ident{}) && !slices.ContainsFunc(list, known) {
		return ctx, had
	}
	return trace.ContextWithSpan(ctx, list[len(list)-1].span), had
}
