package synth

import (
	"io"
	"strconv"
	"strings"
)

// template is the text of an event with holes. It is written in Kineto's layout
// with a dollar sign for each hole; other styles are made from that.
type template []string

func newTemplate(style Style, text string) template {
	return strings.Split(squeeze(style, text), "$")
}

// squeeze turns JSON text in Kineto's layout into another style: blanks outside
// of strings go, and Spaced gets one back after each comma and colon.
func squeeze(style Style, text string) string {
	if style == Pretty {
		return text
	}
	var b strings.Builder
	quoted := false
	for i := range len(text) {
		c := text[i]
		if c == '"' {
			quoted = !quoted
		}
		if !quoted && (c == ' ' || c == '\n') {
			continue
		}
		b.WriteByte(c)
		if !quoted && style == Spaced && (c == ',' || c == ':') {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

const flushAt = 1 << 16

// encoder writes the file: events are templates with their holes filled in turn.
type encoder struct {
	w   io.Writer
	opt Options
	buf []byte
	err error
	out int64 // bytes handed to w

	t    template
	hole int

	events     int
	byCategory map[string]int
	index      int // Kineto's running "Ev Idx"
	separator  string
	pid, tid   int64
	forms      *forms
	repeated   []annotationSpan
}

func newEncoder(w io.Writer, o Options) *encoder {
	e := &encoder{w: w, opt: o, byCategory: map[string]int{}, forms: newForms(o)}
	e.separator = squeeze(o.Style, ",")
	e.pid = 5617 + int64(o.Rank)
	e.tid = e.pid
	return e
}

// event begins an event of a category ("" when it is not counted).
func (e *encoder) event(category string, t template) {
	if len(e.buf) > flushAt {
		e.drain()
	}
	if e.events > 0 {
		e.buf = append(e.buf, e.separator...)
	}
	e.events++
	if category != "" {
		e.byCategory[category]++
	}
	e.begin(t)
}

func (e *encoder) begin(t template) {
	e.t, e.hole = t, 1
	e.buf = append(e.buf, t[0]...)
}

func (e *encoder) next() {
	e.buf = append(e.buf, e.t[e.hole]...)
	e.hole++
}

func (e *encoder) str(s string) *encoder {
	e.buf = append(e.buf, s...)
	e.next()
	return e
}

func (e *encoder) int(v int64) *encoder {
	e.buf = strconv.AppendInt(e.buf, v, 10)
	e.next()
	return e
}

func (e *encoder) float(v float64, digits int) *encoder {
	e.buf = strconv.AppendFloat(e.buf, v, 'f', digits, 64)
	e.next()
	return e
}

// at writes an instant, and micros any other time: microseconds, three decimals
// for the nanoseconds. Tools that rewrite traces shorten the fraction.
func (e *encoder) at(ns int64) *encoder {
	if e.opt.Absolute {
		ns += baseNS
	}
	return e.micros(ns)
}

func (e *encoder) micros(ns int64) *encoder {
	e.buf = strconv.AppendInt(e.buf, ns/1000, 10)
	f := ns % 1000
	e.buf = append(e.buf, '.', byte('0'+f/100), byte('0'+f/10%10), byte('0'+f%10))
	if e.opt.Style != Pretty {
		n := len(e.buf)
		for e.buf[n-1] == '0' && e.buf[n-2] != '.' {
			n--
		}
		e.buf = e.buf[:n]
	}
	e.next()
	return e
}

func (e *encoder) drain() {
	if e.err == nil {
		var n int
		n, e.err = e.w.Write(e.buf)
		e.out += int64(n)
	}
	e.buf = e.buf[:0]
}

func (e *encoder) flush() error {
	e.drain()
	return e.err
}

// written is the length of the text so far.
func (e *encoder) written() int64 { return e.out + int64(len(e.buf)) }
