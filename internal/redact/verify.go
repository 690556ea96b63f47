package redact

import (
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

// leftovers are all forms in which what was learned could stand in a file. Not looked
// for are short words and numbers, which come about by chance, and words of the marks.
func (f *facts) leftovers() (list []known, longest int) {
	add := func(v known, text []byte) {
		v.text = text
		list = append(list, v)
		longest = max(longest, len(text))
	}
	for s := range f.secrets {
		v := knownSecret(s)
		if v.part != nil && (len(s) < minSecret || number(s) || inMarks(s)) {
			continue
		}
		add(v, []byte(s))
		if q := quoted([]byte(s)); string(q) != s {
			add(v, q)
		}
		if q, err := json.Marshal(s); err == nil && string(q[1:len(q)-1]) != s {
			add(v, q[1:len(q)-1])
		}
		units := utf16.Encode([]rune(s))
		le, be := make([]byte, 0, 2*len(units)), make([]byte, 0, 2*len(units))
		for _, u := range units {
			le, be = binary.LittleEndian.AppendUint16(le, u), binary.BigEndian.AppendUint16(be, u)
		}
		add(v, le)
		add(v, be)
	}
	for w, k := range f.words {
		if len(w) >= minSecret && !inMarks(w) {
			add(knownWord(w, k), []byte(w))
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
			if l.index(text, kept > 0) >= 0 {
				return fmt.Errorf("%w: a %s; the output was not kept", ErrLeft, l.kind)
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
