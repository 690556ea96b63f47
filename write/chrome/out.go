package chrome

import (
	"context"
	"io"
	"strconv"
	"unicode/utf8"
)

const flushAt = 64 << 10

// out writes JSON text. After an error it writes no more; flush returns it.
type out struct {
	ctx    context.Context
	w      io.Writer
	buf    []byte
	err    error
	events int64 // in the list so far
}

// raw writes text as it stands.
func (o *out) raw(s string) *out {
	o.buf = append(o.buf, s...)
	return o
}

// bytes writes text as it stands.
func (o *out) bytes(b []byte) {
	if len(b) >= flushAt { // large texts go past the buffer
		o.drain()
		o.send(b)
		return
	}
	o.buf = append(o.buf, b...)
	if len(o.buf) >= flushAt {
		o.drain()
	}
}

// next begins an event of the list.
func (o *out) next() *out {
	if len(o.buf) >= flushAt {
		o.drain()
	}
	if o.events > 0 {
		o.buf = append(o.buf, ",\n  "...)
	} else {
		o.buf = append(o.buf, "\n  "...)
	}
	o.events++
	return o
}

func (o *out) drain() {
	o.send(o.buf)
	o.buf = o.buf[:0]
}

func (o *out) send(b []byte) {
	if o.err == nil {
		o.err = o.ctx.Err()
	}
	if o.err == nil && len(b) > 0 {
		_, o.err = o.w.Write(b)
	}
}

func (o *out) flush() error {
	o.drain()
	return o.err
}

func (o *out) int(v int64) *out {
	o.buf = strconv.AppendInt(o.buf, v, 10)
	return o
}

// micros writes nanoseconds as microseconds with three decimals.
func (o *out) micros(ns int64) *out {
	o.buf = appendMicros(o.buf, ns)
	return o
}

func appendMicros(b []byte, ns int64) []byte {
	u := uint64(ns)
	if ns < 0 {
		b, u = append(b, '-'), -u
	}
	b = strconv.AppendUint(b, u/1000, 10)
	f := u % 1000
	return append(b, '.', byte('0'+f/100), byte('0'+f/10%10), byte('0'+f%10))
}

// str writes a JSON string.
func (o *out) str(s string) *out {
	o.buf = appendString(o.buf, s)
	return o
}

func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
