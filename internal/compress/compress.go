// Package compress reads and writes gzip and zstd streams, and guards readers
// against streams that inflate beyond reason. It is the only package that imports the
// compression module. It opens no files and looks at no file names: what a
// stream is, its first bytes say.
package compress

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Kind is a form of compression.
type Kind uint8

// The kinds. None is a stream that is passed through as it is.
const (
	None Kind = iota
	Gzip
	Zstd
)

// String gives the name that messages use.
func (k Kind) String() string {
	switch k {
	case None:
		return "none"
	case Gzip:
		return "gzip"
	case Zstd:
		return "zstd"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// SniffLen is the number of first bytes that Sniff wants to see; with fewer it
// may say None.
const SniffLen = 4

// Sniff says how a stream that begins with head is compressed. Zstd streams
// may begin with a skippable frame, as those of pzstd do.
func Sniff(head []byte) Kind {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b, 8}):
		return Gzip
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstd
	case len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}):
		return Zstd
	}
	return None
}

// NewWriter makes a writer that compresses to w; Close ends the stream and
// leaves w open. Level 0 is the usual one, 1 the fastest; 9 is gzip's densest
// and 22 zstd's. The error is that of a kind or level that does not exist.
func NewWriter(kind Kind, w io.Writer, level int) (io.WriteCloser, error) {
	switch kind {
	case None:
		return nopWriter{w}, nil
	case Gzip:
		if level == 0 {
			level = gzip.DefaultCompression
		}
		z, err := gzip.NewWriterLevel(w, level)
		if err != nil {
			return nil, fmt.Errorf("compress: gzip: no level %d", level)
		}
		return z, nil
	case Zstd:
		if level < 0 || level > 22 {
			return nil, fmt.Errorf("compress: zstd: no level %d", level)
		}
		if level == 0 {
			level = 1 // on traces level 3 saves half a percent and takes half as long again
		}
		// The encoder that saves memory (10 MB) takes three times as long.
		return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithEncoderConcurrency(2))
	}
	return nil, fmt.Errorf("compress: no such kind: %v", kind)
}

type nopWriter struct{ io.Writer }

func (nopWriter) Close() error { return nil }
