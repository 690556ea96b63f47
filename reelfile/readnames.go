package reelfile

import (
	"unicode/utf8"

	"reel/event"
)

// nameList holds the strings of a recording by their ids.
type nameList struct {
	arena []byte
	at    []nameSpan
}

type nameSpan struct{ from, to uint32 }

// maxNameBytes bounds the memory that names may take.
const maxNameBytes = 1 << 30

func (n *nameList) len() int { return len(n.at) }

// read takes the entries of a chunk of strings; ok is false when one cannot be
// right.
func (n *nameList) read(b []byte) (ok bool) {
	for len(b) >= 8 {
		id, size := unpair(word(b, 0))
		if id == 0 {
			return size == 0
		}
		end := 8 + (int64(size)+7)&^7
		if id > maxName || end > int64(len(b)) || len(n.arena)+int(size) > maxNameBytes {
			return false
		}
		if int(id) >= len(n.at) {
			n.at = append(n.at, make([]nameSpan, int(id)+1-len(n.at))...)
		}
		from := uint32(len(n.arena))
		n.arena = append(n.arena, b[8:8+size]...)
		n.at[id] = nameSpan{from, uint32(len(n.arena))}
		b = b[end:]
	}
	return true
}

func (n *nameList) get(id uint32) ([]byte, bool) {
	if int(id) >= len(n.at) || id != 0 && n.at[id] == (nameSpan{}) {
		return nil, id == 0
	}
	return n.arena[n.at[id].from:n.at[id].to], true
}

// nameOf returns a name as a string, for what is not an event.
func (s *Source) nameOf(id uint32) string {
	b, ok := s.names.get(id)
	if !ok {
		s.fault("missing-name", "a name is not in the recording", 1)
	}
	if !utf8.Valid(b) {
		return string([]rune(string(b)))
	}
	return string(b)
}

// str returns the batch's string for a name.
func (s *Source) str(b *event.Batch, id uint32) event.Str {
	if int(id) >= len(s.strs) {
		if id != 0 {
			s.fault("missing-name", "a name is not in the recording", 1)
		}
		return 0
	}
	if v := s.strs[id]; v != 0 {
		return v - 1
	}
	text, ok := s.names.get(id)
	if !ok {
		s.fault("missing-name", "a name is not in the recording", 1)
	}
	v := b.Strings.AddBytes(text)
	s.strs[id] = v + 1
	s.used = append(s.used, id)
	return v
}
