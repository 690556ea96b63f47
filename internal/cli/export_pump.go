package cli

import (
	"context"
	"io"

	"reel/internal/compress"
)

const (
	pumpSize  = 256 << 10
	pumpDepth = 4
)

// pump compresses what is written to it on a goroutine of its own, so that making
// a trace and compressing it go on side by side. It stops with its context.
type pump struct {
	ctx  context.Context
	buf  []byte
	full chan []byte
	free chan []byte
	done chan struct{}
	err  error // of the goroutine; to be read when done is closed
}

func newPump(ctx context.Context, w io.Writer, kind compress.Kind) (*pump, error) {
	z, err := compress.NewWriter(kind, w, 0)
	if err != nil {
		return nil, err
	}
	p := &pump{ctx: ctx, full: make(chan []byte, pumpDepth), free: make(chan []byte, pumpDepth+2), done: make(chan struct{})}
	for range pumpDepth + 1 {
		p.free <- make([]byte, 0, pumpSize)
	}
	p.buf = <-p.free
	go p.run(z)
	return p, nil
}

// run compresses until there is no more. After an error it only empties the
// channel's rest.
func (p *pump) run(z io.WriteCloser) {
	defer close(p.done)
	for b := range p.full {
		if _, p.err = z.Write(b); p.err != nil {
			return
		}
		p.free <- b[:0]
	}
	p.err = z.Close()
}

// Write takes b over. It fails with the goroutine's error, or the context's.
func (p *pump) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		k := min(len(b), cap(p.buf)-len(p.buf))
		p.buf = append(p.buf, b[:k]...)
		n, b = n+k, b[k:]
		if len(p.buf) == cap(p.buf) {
			if err := p.send(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (p *pump) send() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	select {
	case p.full <- p.buf:
	case <-p.done:
		return p.err
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
	select {
	case p.buf = <-p.free:
	case <-p.done:
		return p.err
	}
	return nil
}

// Close ends the stream and waits for its last byte.
func (p *pump) Close() error {
	var err error
	if len(p.buf) > 0 {
		err = p.send()
	}
	close(p.full)
	<-p.done
	if p.err != nil {
		return p.err
	}
	return err
}
