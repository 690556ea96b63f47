package reelfile

import (
	"errors"
	"fmt"
	"io"
)

// Text is a string of a recording and where it lies, for who edits recordings in
// place: what changes must keep its length.
type Text struct {
	At    int64  // of its bytes in the file
	Bytes []byte // valid during the call
	Host  bool   // the header names it as the host
	Prop  string // the property whose value it is; "" is none
	Loose bool   // the rest of a damaged chunk: bytes, not one text
}

// Texts calls f for each string of the recording in r, of so many bytes; loose
// bytes of damaged chunks are told too. It ends with f's first error.
func Texts(r io.ReaderAt, size int64, name string, f func(Text) error) error {
	s, err := New(r, size, name)
	if err != nil {
		return err
	}
	head := s.buf[:headerSize]
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reel: %s: %w", name, err)
	}
	host, _ := unpair(word(head, hHost))
	props := map[uint32]string{}
	for i := range maxProps {
		if k, v := unpair(word(head, hProps+i)); k != 0 && v != 0 {
			props[v] = s.nameOf(k)
		}
	}
	for i := int64(1); i*s.chunk < size; i++ {
		n, err := r.ReadAt(s.buf, i*s.chunk)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reel: %s: %w", name, err)
		}
		if n <= chunkHead || word(s.buf, cWord)>>8&0xff == chunkRecords {
			continue
		}
		if err := texts(s.buf[chunkHead:n], i*s.chunk+chunkHead, host, props, f); err != nil {
			return err
		}
	}
	return nil
}

// texts walks the entries of a chunk, which begin at the offset at.
func texts(b []byte, at int64, host uint32, props map[uint32]string, f func(Text) error) error {
	for len(b) >= 8 {
		id, size := unpair(word(b, 0))
		end := 8 + (int64(size)+7)&^7
		if id == 0 && size == 0 {
			at, b = at+8, b[8:]
			continue
		}
		if id == 0 || id > maxName || end > int64(len(b)) {
			return f(Text{At: at, Bytes: b, Loose: true})
		}
		if err := f(Text{At: at + 8, Bytes: b[8 : 8+size], Host: id == host && host != 0, Prop: props[id]}); err != nil {
			return err
		}
		at, b = at+end, b[end:]
	}
	return nil
}
