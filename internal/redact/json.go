package redact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxText bounds one text of a JSON document.
const maxText = 64 << 20

// jsonCopy goes over JSON text. Texts are learned from or scrubbed; everything else,
// damage included, stays byte for byte. It is a loose reader: what it does not
// understand it treats as text.
type jsonCopy struct {
	f     *facts
	t     tally
	out   io.Writer // nil: learn
	stack []level
	key   string // the last text, when a colon may follow
	bare  []byte // what stands between texts and is not written yet
	args  args
	known map[string]keyword // keys seen
	err   error
}

// keyword is a key, kept once, and what it means.
type keyword struct {
	key   string
	meant meaning
}

// level is an open object or list.
type level struct {
	object bool
	valued bool    // in an object: a colon was seen, a value comes
	meant  meaning // of all texts within
	key    keyword // under which it stands
	next   keyword // of the value that comes
}

// window is how much of the text is read at once; what a text needs more grows it.
const window = 1 << 20

// run copies all of r.
func (j *jsonCopy) run(r io.Reader) error {
	j.known = map[string]keyword{}
	buf := make([]byte, 0, window)
	for j.err == nil {
		if len(buf) == cap(buf) {
			if cap(buf) > maxText {
				return fmt.Errorf("a text of more than %d MiB", maxText>>20)
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		used := j.take(buf, err != nil)
		buf = buf[:copy(buf, buf[used:])]
		if errors.Is(err, io.EOF) {
			j.flushBare()
			return j.err
		}
		if err != nil {
			return err
		}
	}
	return j.err
}

// take goes over b and returns how much of it is done; the rest begins with a text
// that is not whole yet. At the end everything is.
func (j *jsonCopy) take(b []byte, end bool) (used int) {
	for used < len(b) && j.err == nil {
		open := bytes.IndexByte(b[used:], '"')
		if open < 0 {
			j.between(b[used:])
			return len(b)
		}
		text := used + open + 1
		closing := endOfText(b, text)
		if closing == len(b) && !end {
			j.between(b[used : text-1])
			return text - 1
		}
		j.between(b[used:text])
		j.gotText(b[text:closing])
		if used = closing; used < len(b) { // the quote, or the line feed that is none
			j.bare = append(j.bare, b[used])
			used++
		}
	}
	return used
}

// endOfText returns the position of the quote that closes the text at b[i], or
// len(b). A line feed ends it too: JSON has none in texts, and a lost quote must not
// turn the rest inside out.
func endOfText(b []byte, i int) int {
	from := i
	for {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			k = len(b) - i
		}
		if nl := bytes.IndexByte(b[i:i+k], '\n'); nl >= 0 {
			return i + nl
		}
		if i += k; i == len(b) {
			return i
		}
		slashes := 0
		for i-slashes > from && b[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
		i++
	}
}

// between takes what stands between two texts, the quote at its end included.
func (j *jsonCopy) between(chunk []byte) {
	for _, c := range chunk {
		switch c {
		case '{', '[':
			j.open(c == '{')
		case '}', ']':
			if n := len(j.stack); n > 0 {
				j.stack = j.stack[:n-1]
			}
		case ':':
			if n := len(j.stack); n > 0 && j.stack[n-1].object {
				j.stack[n-1].valued, j.stack[n-1].next = true, j.keyword(j.key)
			}
		case ',':
			if n := len(j.stack); n > 0 {
				j.stack[n-1].valued, j.stack[n-1].next = false, keyword{}
			}
		}
	}
	if j.out != nil && len(chunk) > 16 { // words there are damage
		chunk = j.f.scrubBare(chunk, func() string { return "outside of texts" }, j.t)
	}
	j.bare = append(j.bare, chunk...)
	if len(j.bare) > 1<<16 {
		j.flushBare()
	}
}

// maxDepth bounds the nesting whose keys are kept.
const maxDepth = 10_000

func (j *jsonCopy) open(object bool) {
	if len(j.stack) > maxDepth {
		j.err = errors.New("brackets are nested too deep")
		return
	}
	l := level{object: object}
	if n := len(j.stack); n > 0 {
		up := &j.stack[n-1]
		if l.key = up.next; !up.object {
			l.key = up.key
		}
		if l.meant = up.meant; l.meant == ordinaryText {
			l.meant = l.key.meant
		}
	}
	j.args = args{}
	j.stack = append(j.stack, l)
}

// flushBare writes what stood between texts, and texts that stay.
func (j *jsonCopy) flushBare() {
	bare := j.bare
	j.write(bare)
	j.bare = j.bare[:0]
}

func (j *jsonCopy) write(b []byte) {
	if j.out != nil && j.err == nil && len(b) > 0 {
		_, j.err = j.out.Write(b)
	}
}
