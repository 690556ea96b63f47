package kineto

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"reel/event"
	"reel/internal/compress"
)

// Source is an open trace. It is used by one goroutine.
type Source struct {
	name string
	file *os.File
	text *compress.Reader
	opt  Options
	ctx  context.Context

	in     *input
	seq    *parser // for events that did not fit their chunk
	rest   []byte  // an event that goes on in the next chunk
	joined []byte
	tail   []byte // what follows the events
	closed bool
	done   error
	events int64
	rows   int64 // events that told something
	lost   int64
	length int64 // of the text
	info   event.Info
	warn   event.Warnings
	python bool
}

// maxTail bounds the keys behind the events that are looked at.
const maxTail = 16 << 20

// begin reads the header up to the first event and starts the workers.
func (s *Source) begin() error {
	head, from, err := s.readHeader()
	if err != nil {
		return err
	}
	if s.opt.raw {
		s.tail = append(s.tail, head[:from]...) // for OpenRaw, which takes it
	}
	s.seq = newParser(s.opt)
	s.in = newInput(s.ctx, s.text, s.opt)
	s.in.run(head, from)
	return nil
}

// Close stops the workers and closes the file. It may be called twice.
func (s *Source) Close() error {
	s.in.cancel()
	if s.done == nil {
		s.done = errors.New("kineto: read after close")
	}
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}

// Next fills b with the events of the next stretch of the trace.
func (s *Source) Next(b *event.Batch) error {
	b.Reset()
	for s.done == nil {
		c, err := s.next()
		if err != nil {
			s.done = err
			break
		}
		s.take(c)
		if c.last {
			s.finish(c)
		}
		*b, c.out = c.out, *b
		c.last = false
		s.in.free <- c
		if b.Len() > 0 || len(b.Warnings) > 0 {
			return nil
		}
	}
	return s.done
}

// next waits for the next chunk.
func (s *Source) next() (*chunk, error) {
	select {
	case c, ok := <-s.in.order:
		if !ok {
			return nil, s.ctxErr()
		}
		<-c.finished
		return c, nil
	case <-s.ctx.Done():
		return nil, s.ctxErr()
	}
}

func (s *Source) ctxErr() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return errors.New("kineto: read after close")
}

// take accepts what a worker made of a chunk, or makes it anew. A chunk is
// right when it starts where the one before ended between two events: the first
// one starts right, so all do, or the first that does not is found here.
func (s *Source) take(c *chunk) {
	s.length += int64(c.end)
	if s.closed {
		s.keepTail(c.buf[:c.end])
		c.out.Reset()
		return
	}
	buf, end := c.buf, c.end
	if len(s.rest) > 0 {
		s.joined = append(append(s.joined[:0], s.rest...), c.buf[:c.end]...)
		end = len(s.joined)
		for range padding {
			s.joined = append(s.joined, pad)
		}
		buf = s.joined
		s.seq.read(buf, 0, end, c)
		s.rest = s.rest[:0]
	}
	for i := range c.out.Warnings {
		c.out.Warnings[i].Event += s.events
	}
	s.events += c.events
	s.rows += int64(c.out.Len()+len(c.raw)) + c.skipped
	s.lost += c.lost
	s.info.Accelerator = cmp.Or(s.info.Accelerator, c.device)
	switch c.st {
	case closed:
		s.closed = true
		s.keepTail(buf[c.stop:end])
	case partial:
		s.unfinished(c, buf[c.stop:end])
	}
	s.python = s.python || hasPython(&c.out)
}

// unfinished keeps the beginning of an event for the next chunk, unless it has
// grown beyond what an event may be.
func (s *Source) unfinished(c *chunk, rest []byte) {
	if len(rest) <= s.opt.MaxEvent && !c.last {
		s.rest = append(s.rest[:0], rest...)
		return
	}
	s.lost += int64(len(rest))
	text := fmt.Sprintf("an event longer than %d MiB; passed over", s.opt.MaxEvent>>20)
	code := "oversized-event"
	if c.last {
		code, text = "unfinished-event", "the text ends inside an event"
	}
	c.out.Warnings = append(c.out.Warnings, event.Warning{Code: code, Text: text, Event: s.events, Count: 1})
	s.events++
}

// keepTail keeps the text behind the events, as far as it is looked at.
func (s *Source) keepTail(b []byte) {
	s.tail = append(s.tail, b[:max(0, min(len(b), maxTail-len(s.tail)))]...)
}

func hasPython(b *event.Batch) bool {
	for _, c := range b.Class {
		if c == event.Python {
			return true
		}
	}
	return false
}

// finish closes the accounts when the last chunk is in.
func (s *Source) finish(c *chunk) {
	s.done = io.EOF
	ratio := new(compress.RatioError)
	switch {
	case errors.As(c.err, &ratio):
		s.done = fmt.Errorf("kineto: %s: %w", s.name, c.err)
	case errors.Is(c.err, io.ErrUnexpectedEOF):
		s.warn.Add(event.Warning{Code: "cut", Text: "the compressed file is cut short", Event: -1})
	case errors.Is(c.err, compress.ErrTrailing):
		s.warn.Add(event.Warning{Code: "trailing-bytes", Text: "bytes after the compressed text; not read", Event: -1})
	case c.err != nil:
		s.warn.Add(event.Warning{Code: "unreadable", Text: "the file is unreadable from here on: " + c.err.Error(), Event: -1})
	}
	s.readTail()
	if !s.closed {
		s.warn.Add(event.Warning{Code: "cut", Text: "the list of events is not closed: the file was cut, or its writer killed", Event: -1})
	}
	s.info.Complete = s.closed && (c.err == nil || errors.Is(c.err, compress.ErrTrailing))
	s.info.Events, s.info.Text = s.events, s.length
	if s.info.Bytes == 0 {
		s.info.Bytes = s.text.Consumed()
	}
	if s.length > 0 {
		s.info.MissingPercent = 100 * float64(s.lost) / float64(s.length)
	}
	if s.rows == 0 && s.done == io.EOF {
		s.done = fmt.Errorf("kineto: %s: none of its %d list items is an event: %w", s.name, s.events, ErrNotTrace)
	}
	s.info.Stacks = s.info.Stacks || s.python
	s.info.Warnings = s.warn.List()
}

// Info returns what the header says, and after the last event what the reading
// found.
func (s *Source) Info() event.Info { return s.info }
