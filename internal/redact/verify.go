package redact

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
)

// ErrLeft is the error of an output that still held something that had to go; the
// output was removed.
var ErrLeft = errors.New("something that had to be removed is left")

// leftover is something to look for in an output.
type leftover struct {
	bytes []byte
	whole bool // as a whole word
	what  string
}

// leftovers are all forms in which what was learned could stand in a file.
func (f *facts) leftovers() (list []leftover, longest int) {
	add := func(b []byte, whole bool, what string) {
		list = append(list, leftover{b, whole, what})
		longest = max(longest, len(b))
	}
	for s := range f.secrets {
		add([]byte(s), false, string(Secret))
		if q := quoted([]byte(s)); string(q) != s {
			add(q, false, string(Secret))
		}
		if q, err := json.Marshal(s); err == nil && string(q[1:len(q)-1]) != s {
			add(q[1:len(q)-1], false, string(Secret))
		}
		units := utf16.Encode([]rune(s))
		le, be := make([]byte, 0, 2*len(units)), make([]byte, 0, 2*len(units))
		for _, u := range units {
			le, be = binary.LittleEndian.AppendUint16(le, u), binary.BigEndian.AppendUint16(be, u)
		}
		add(le, false, string(Secret))
		add(be, false, string(Secret))
	}
	for w, k := range f.words {
		if len(w) >= minSecret { // shorter ones come about by chance in numbers
			add([]byte(w), true, string(k))
		}
	}
	return list, longest
}

// verify searches a whole output.
func (f *facts) verify(r io.Reader) error {
	list, longest := f.leftovers()
	if len(list) == 0 {
		return nil
	}
	buf := make([]byte, 1<<20+2*longest)
	kept := 0
	for {
		n, err := io.ReadFull(r, buf[kept:])
		text := buf[:kept+n]
		for _, l := range list {
			if l.whole && wordIndex(text, l.bytes, kept > 0) >= 0 || !l.whole && bytes.Contains(text, l.bytes) {
				return fmt.Errorf("%w: a %s; the output was not kept", ErrLeft, l.what)
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		kept = copy(buf, text[len(text)-min(len(text), 2*longest):])
	}
}
