package kineto

import (
	"context"
	"io"

	"reel/event"
)

// chunk is a piece of the text between two places where events seem to start.
type chunk struct {
	buf      []byte // buf[:end] is text, padding follows
	from     int    // where the first event is looked for
	end      int
	last     bool
	err      error // why the text ended, when not at its end
	out      event.Batch
	stop     int
	st       status
	events   int64
	skipped  int64
	lost     int64
	device   string     // the sort of device, as parser.accelerator
	raw      []RawEvent // with the text that they lie in
	text     []byte
	finished chan struct{}
}

// input cuts a text into chunks and has workers parse them. Chunks come out in
// order; the buffers are few and reused, because the first touch of fresh
// memory costs more than the parsing.
type input struct {
	ctx    context.Context
	cancel context.CancelFunc
	opt    Options
	r      io.Reader
	order  chan *chunk // in the order of the text
	work   chan *chunk
	free   chan *chunk
}

func newInput(ctx context.Context, r io.Reader, opt Options) *input {
	in := &input{opt: opt, r: r}
	in.ctx, in.cancel = context.WithCancel(ctx)
	n := opt.Workers + 2
	in.order, in.work, in.free = make(chan *chunk, n), make(chan *chunk, n), make(chan *chunk, n)
	for range n {
		in.free <- &chunk{}
	}
	return in
}

// run starts the workers and the cutter. head holds text already read, whose
// events start at from.
func (in *input) run(head []byte, from int) {
	for range in.opt.Workers {
		go func() {
			p := newParser(in.opt)
			for c := range in.work {
				p.parse(c)
				close(c.finished)
			}
		}()
	}
	go in.cut(head, from)
}

// parse reads the chunk's events into its batch.
func (p *parser) parse(c *chunk) {
	p.read(c.buf[:c.end+padding], c.from, c.end, c)
}

// read is parse for a chunk whose events lie in b[i:end].
func (p *parser) read(b []byte, i, end int, c *chunk) {
	if p.raw != nil {
		p.raw.events, c.text = c.raw[:0], b[:end]
	}
	p.final = c.last
	c.stop, c.st = p.chunk(b, i, end, &c.out)
	p.noteNULs(b[i:c.stop])
	c.events, c.skipped, c.lost, c.device = p.events, p.skipped, p.lost, p.accelerator
	if p.raw != nil {
		c.raw = p.raw.events
	}
}

// cut reads the text and hands out chunks.
func (in *input) cut(carry []byte, from int) {
	defer close(in.work)
	defer close(in.order)
	for first := true; ; first = false {
		var c *chunk
		select {
		case c = <-in.free:
		case <-in.ctx.Done():
			return
		}
		carry = in.fill(c, carry, first, from)
		c.finished = make(chan struct{})
		last := c.last // c is the consumer's from here on
		select {
		case in.order <- c:
		case <-in.ctx.Done():
			return
		}
		in.work <- c
		if last {
			return
		}
	}
}

// fill reads text behind carry into c until an event starts near its end. It
// moves the text behind that place to carry and returns it.
func (in *input) fill(c *chunk, carry []byte, first bool, from int) []byte {
	*c = chunk{buf: c.buf, out: c.out, raw: c.raw}
	if first {
		c.from = from
	}
	want := max(in.opt.Chunk, len(carry))
	n, searched := 0, c.from+1
	for {
		c.reserve(want)
		if n == 0 {
			n = copy(c.buf, carry)
		}
		m, err := readFull(in.r, c.buf[n:want])
		n += m
		fillPad(c.buf, n)
		if err != nil {
			c.end, c.last = n, true
			if err != io.EOF {
				c.err = err
			}
			return nil
		}
		if k := boundaryBefore(c.buf, searched, n); k > 0 {
			carry = append(carry[:0], c.buf[k:n]...)
			c.end = k
			fillPad(c.buf, k)
			return carry
		}
		searched = max(searched, n-1024) // for the brace whose key is still to come
		if n >= in.opt.MaxEvent {
			c.end = n // no event so far: let the consumer say so
			return carry[:0]
		}
		want *= 2
	}
}

// reserve makes room for n bytes of text and the padding, keeping what is there.
func (c *chunk) reserve(n int) {
	if cap(c.buf) >= n+padding {
		c.buf = c.buf[:n+padding]
		return
	}
	buf := make([]byte, n+padding)
	copy(buf, c.buf)
	c.buf = buf
}

func fillPad(buf []byte, n int) {
	for i := n; i < n+padding; i++ {
		buf[i] = pad
	}
}

// readFull fills b unless the text ends; the error is the reader's own.
func readFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	return n, err
}
