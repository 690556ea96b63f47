package event

import (
	"encoding/binary"
)

// Strings is an append-only table of distinct strings. Adding one that is there
// allocates nothing; a new one is copied once into a shared arena.
// Index 0 is always "". The zero Strings is ready for use.
type Strings struct {
	arena []byte
	end   []uint32 // end[i] is where string i ends in arena
	hash  []uint32
	slots []uint32 // open addressing: index+1, 0 is free
}

const minSlots = 1 << 10

// Reset empties the table and keeps its memory.
func (s *Strings) Reset() {
	s.arena, s.end, s.hash = s.arena[:0], s.end[:0], s.hash[:0]
	clear(s.slots)
	s.init()
}

func (s *Strings) init() {
	if len(s.slots) == 0 {
		s.slots = make([]uint32, minSlots)
	}
	if len(s.end) == 0 {
		s.end, s.hash = append(s.end, 0), append(s.hash, 0) // 0 is ""
	}
}

// Len returns the number of strings, "" included.
func (s *Strings) Len() int { return max(len(s.end), 1) }

// Size returns the bytes that the strings take.
func (s *Strings) Size() int { return len(s.arena) }

// Bytes returns string i without a copy; it is valid until the next Add or Reset.
func (s *Strings) Bytes(i Str) []byte {
	if i == 0 || int(i) >= len(s.end) {
		return nil
	}
	return s.arena[s.end[i-1]:s.end[i]:s.end[i]]
}

// Get returns a copy of string i, "" when there is none.
func (s *Strings) Get(i Str) string { return string(s.Bytes(i)) }

// Hash returns the hash of string i, for tables that take it over.
func (s *Strings) Hash(i Str) uint32 { return s.hash[i] }

// Add returns the index of v, adding it when it is new.
func (s *Strings) Add(v string) Str { return s.AddBytes([]byte(v)) }

// AddBytes is Add for bytes, which it does not keep.
func (s *Strings) AddBytes(v []byte) Str {
	i, _ := s.AddHash(v, Hash(v))
	return i
}

// AddHash is AddBytes with the hash already known; added says that v was new.
func (s *Strings) AddHash(v []byte, h uint32) (id Str, added bool) {
	if len(v) == 0 {
		s.init()
		return 0, false
	}
	if len(s.end) == 0 {
		s.init()
	}
	mask := uint32(len(s.slots) - 1)
	i := h & mask
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		id := s.slots[i] - 1
		if s.hash[id] == h && string(s.arena[s.end[id-1]:s.end[id]]) == string(v) {
			return Str(id), false
		}
	}
	n := uint32(len(s.end))
	s.arena = append(s.arena, v...)
	s.end, s.hash = append(s.end, uint32(len(s.arena))), append(s.hash, h)
	s.slots[i] = n + 1
	if len(s.end)*2 > len(s.slots) {
		s.grow()
	}
	return Str(n), true
}

func (s *Strings) grow() {
	slots := make([]uint32, len(s.slots)*4)
	mask := uint32(len(slots) - 1)
	for id := 1; id < len(s.end); id++ {
		i := s.hash[id] & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = uint32(id + 1)
	}
	s.slots = slots
}

// Hash is the hash that Strings uses: multiply-xorshift over eight-byte words.
func Hash(b []byte) uint32 {
	h := uint64(len(b)) * 0x9E3779B97F4A7C15
	for len(b) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 0xff51afd7ed558ccd
		h ^= h >> 32
		b = b[8:]
	}
	if n := len(b); n > 0 {
		var w uint64
		if n >= 4 {
			w = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
		} else {
			w = uint64(b[0]) | uint64(b[n>>1])<<8 | uint64(b[n-1])<<16
		}
		h = (h ^ w) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return uint32(h)
}

// Find returns the index of v when the table has it.
func (s *Strings) Find(v string) (Str, bool) {
	if len(s.slots) == 0 {
		return 0, v == ""
	}
	h := Hash([]byte(v))
	mask := uint32(len(s.slots) - 1)
	for i := h & mask; s.slots[i] != 0; i = (i + 1) & mask {
		id := s.slots[i] - 1
		if s.hash[id] == h && string(s.arena[s.end[id-1]:s.end[id]]) == v {
			return Str(id), true
		}
	}
	return 0, v == ""
}

// All returns every string, in the order of their indices; they share one copy
// of the table's memory.
func (s *Strings) All() []string {
	text := string(s.arena)
	out := make([]string, s.Len())
	for i := 1; i < len(s.end); i++ {
		out[i] = text[s.end[i-1]:s.end[i]]
	}
	return out
}
