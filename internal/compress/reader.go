package compress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	inputBuffer = 256 << 10
	maxWindow   = 128 << 20 // what zstd --ultra -22 uses
)

// ErrTrailing is returned after the last byte of a gzip stream that is
// followed by something else than another member.
var ErrTrailing = errors.New("compress: gzip: bytes after the last member are not gzip")

// Limit bounds how far a stream may inflate. Its zero is DefaultLimit.
type Limit struct {
	MinBytes int64   // no stream fails before it has given this many bytes
	MaxRatio float64 // bytes given for each byte read; negative is no limit
}

// DefaultLimit is what a zero Limit means: 256 MiB and 500 to 1. Traces, even
// padded ones, stay far below; gzip can reach 1032 to 1 and zstd more.
var DefaultLimit = Limit{MinBytes: 256 << 20, MaxRatio: 500}

// RatioError reports a stream that inflated beyond its Limit.
type RatioError struct {
	In, Out int64   // bytes read and bytes given so far
	Max     float64 // the ratio that was allowed
}

func (e *RatioError) Error() string {
	return fmt.Sprintf("compress: %d bytes inflated to %d, more than %g to 1", e.In, e.Out, e.Max)
}

// CountingReader counts the bytes that pass. N may be called while another goroutine reads.
type CountingReader struct {
	r io.Reader
	n atomic.Int64
}

// NewCountingReader makes a counting reader of r.
func NewCountingReader(r io.Reader) *CountingReader { return &CountingReader{r: r} }

// Read reads from the underlying reader.
func (c *CountingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// N is the number of bytes read so far.
func (c *CountingReader) N() int64 { return c.n.Load() }

// Reader gives the uncompressed bytes of a stream. One goroutine reads;
// Consumed and Produced may be called from others.
type Reader struct {
	in    *CountingReader
	src   io.Reader
	close func() error
	kind  Kind
	limit Limit
	out   atomic.Int64
	err   error
}

// NewReader makes a reader of a stream of this kind with DefaultLimit.
func NewReader(kind Kind, r io.Reader) (*Reader, error) {
	return NewReaderLimit(kind, r, Limit{})
}

// NewReaderLimit makes a reader of a stream of this kind. It reads the head of
// a gzip stream at once, so the error may be that of a bad head or of r.
func NewReaderLimit(kind Kind, r io.Reader, limit Limit) (*Reader, error) {
	if limit == (Limit{}) {
		limit = DefaultLimit
	}
	z := &Reader{in: NewCountingReader(r), kind: kind, limit: limit, close: func() error { return nil }}
	switch kind {
	case None:
		z.src = z.in
	case Gzip:
		g, err := gzip.NewReader(bufio.NewReaderSize(z.in, inputBuffer))
		if err != nil {
			return nil, named(kind, err)
		}
		z.src, z.close = g, g.Close
	case Zstd:
		d, err := zstd.NewReader(bufio.NewReaderSize(z.in, inputBuffer), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, named(kind, err)
		}
		z.src, z.close = d, func() error { d.Close(); return nil }
	default:
		return nil, fmt.Errorf("compress: no such kind: %v", kind)
	}
	return z, nil
}

// Read gives uncompressed bytes. A stream that is cut gives every byte that
// can be inflated and then an error that is io.ErrUnexpectedEOF; one that
// inflates too far gives a *RatioError; a gzip stream with something else
// behind it gives ErrTrailing. Errors stay.
func (z *Reader) Read(p []byte) (int, error) {
	if z.err != nil {
		return 0, z.err
	}
	n, err := z.src.Read(p)
	out := z.out.Add(int64(n))
	if err != nil && err != io.EOF {
		if z.kind == Gzip && errors.Is(err, gzip.ErrHeader) {
			err = ErrTrailing // a bad first head fails in NewReaderLimit
		} else {
			err = named(z.kind, err)
		}
	}
	if in := z.in.N(); err == nil && z.kind != None && z.limit.MaxRatio >= 0 &&
		out > z.limit.MinBytes && float64(out) > z.limit.MaxRatio*float64(in) {
		err = &RatioError{In: in, Out: out, Max: z.limit.MaxRatio}
	}
	z.err = err
	return n, err
}

// Close frees the decoder. It does not close the underlying reader.
func (z *Reader) Close() error {
	if z.err == nil {
		z.err = errors.New("compress: read after close")
	}
	return z.close()
}

// Consumed is the number of compressed bytes read so far, up to 256 KiB ahead
// of what has been inflated.
func (z *Reader) Consumed() int64 { return z.in.N() }

// Produced is the number of uncompressed bytes given so far.
func (z *Reader) Produced() int64 { return z.out.Load() }

// named wraps a decoder's error, leaving io's own alone where callers compare them.
func named(kind Kind, err error) error {
	if kind == None || err == io.EOF || err == io.ErrUnexpectedEOF {
		return err
	}
	return fmt.Errorf("compress: %v: %w", kind, err)
}
