package kineto

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"reel/event"
)

// Raw is an open trace read as text: its events as they stand, between a head
// and a tail. Head, all events behind each other with commas between them, and Tail make
// the trace again, and always valid JSON. It is used by one goroutine.
type Raw struct {
	s    *Source
	held *chunk
	head []byte
	tail []byte
	list bool // the root is the list of events itself
}

// RawBatch is a stretch of a trace's events.
type RawBatch struct {
	Text   []byte     // valid until the next call of Next
	Lo, Hi int        // of Text, what belongs to the list of events: they and what stands between them
	Events []RawEvent // in their order
}

// RawSpan is where something stands in the text of its event, [Lo, Hi).
type RawSpan struct{ Lo, Hi int32 }

// Of returns the bytes of a span in a text.
func (s RawSpan) Of(text []byte) []byte { return text[s.Lo:s.Hi] }

// RawEvent is one item of a trace's list of events: where its text stands, and what
// is needed to decide about it. Members that it lacks have empty spans.
type RawEvent struct {
	Span   RawSpan // in the batch's Text; the spans below are within the event's own text
	Mended []byte  // its text as valid JSON, when Text's is not
	Lost   bool    // it is not readable; there is nothing to copy

	Pid, Tid, Ts, ID, Args, Name RawSpan // values, quotes and braces included

	Ph    byte       // phase: X, i, M, …; 0 when it has none
	Kind  event.Kind // NoKind of phases that are not read, and of Reel's own tracks
	Class event.Class
	Own   bool  // category "reel": written by Reel beside another trace
	Timed bool  // it has a time
	A, B  int64 // numbers of pid and tid, as in event.Track
	Start int64 // ns
	Dur   int64 // ns, 0 or more
}

// Text returns the event's text, valid JSON, within a batch.
func (e *RawEvent) Text(b *RawBatch) []byte {
	if e.Mended != nil {
		return e.Mended
	}
	return e.Span.Of(b.Text)
}

// OpenRaw opens the trace at path as text. Of the options only Workers, Chunk and
// MaxEvent count.
func OpenRaw(ctx context.Context, path string, opt Options) (*Raw, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("kineto: %w", err)
	}
	r, err := NewRaw(ctx, f, path, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.s.file = f
	return r, nil
}

// NewRaw reads a trace as text from r, compressed or not; name is for messages.
func NewRaw(ctx context.Context, r io.Reader, name string, opt Options) (*Raw, error) {
	s, err := New(ctx, r, name, Options{Workers: opt.Workers, Chunk: opt.Chunk, MaxEvent: opt.MaxEvent, raw: true})
	if err != nil {
		return nil, err
	}
	raw := &Raw{s: s, head: s.tail}
	s.tail = nil
	raw.list = raw.head[skipSpace(raw.head, 0)] == '['
	closing := "]}"
	if raw.list {
		closing = "]"
	}
	if !json.Valid(append(bytes.Clone(raw.head), closing...)) {
		raw.head = mendHead(raw.head)
	}
	return raw, nil
}

// Head returns the text before the events: up to the bracket that opens their
// list, which is its last byte.
func (r *Raw) Head() []byte { return r.head }

// List reports whether the root of the trace is the list of events itself, so
// that there are no keys.
func (r *Raw) List() bool { return r.list }

// Next returns the events of the next stretch of the trace, and io.EOF after the
// last. It overwrites what the call before returned.
func (r *Raw) Next() (RawBatch, error) {
	if r.held != nil {
		r.s.in.free <- r.held
		r.held = nil
	}
	if r.s.done != nil {
		return RawBatch{}, r.s.done
	}
	c, err := r.s.next()
	if err == nil {
		var b RawBatch
		if b, err = r.take(c); err == nil {
			r.held = c
			return b, nil
		}
	}
	r.s.done = err
	return RawBatch{}, err
}

// take accepts a chunk.
func (r *Raw) take(c *chunk) (RawBatch, error) {
	was := r.s.closed
	r.s.take(c)
	if was {
		c.raw, c.stop, c.text = c.raw[:0], 0, c.buf[:c.end]
	}
	b := RawBatch{Text: c.text, Lo: c.from, Hi: c.stop, Events: c.raw}
	if r.s.closed {
		b.Hi = max(b.Lo, c.stop-1) // before the closing bracket
		if r.tail = append(r.tail, c.text[c.stop:]...); len(r.tail) > maxHeader {
			return b, fmt.Errorf("kineto: %s: more than %d MiB behind the events", r.s.name, maxHeader>>20)
		}
	}
	if c.last {
		r.s.finish(c)
		r.endTail()
	}
	return b, nil
}

// endTail makes the tail what follows the last event.
func (r *Raw) endTail() {
	opening := `{"traceEvents":[`
	if r.list {
		opening = "["
	}
	r.tail = append([]byte("]"), r.tail...)
	if !r.s.closed || !json.Valid(append([]byte(opening), r.tail...)) {
		r.tail = mendTail(r.tail[1:], r.list)
	}
}

// Tail returns the text behind the events, from the bracket that closes their
// list on. It is complete after io.EOF.
func (r *Raw) Tail() []byte { return r.tail }

// Info returns what the header says and, after the last event, what the reading
// found.
func (r *Raw) Info() event.Info { return r.s.Info() }

// Close stops the reading and closes the file. It may be called twice.
func (r *Raw) Close() error { return r.s.Close() }
