package device

import (
	"bufio"
	"encoding/binary"
	"io"
	"math/bits"
)

// pickler writes values in Python's pickle format, protocol 4, as docs.python.org's
// pickletools describes it: the part that numbers, text, lists and dictionaries need,
// and that the reader of PyTorch's memory page knows. Text and shared values are
// written once.
type pickler struct {
	w    *bufio.Writer
	next uint32            // number of the next value that is remembered
	text map[string]uint32 // numbers of texts
}

// The instructions.
const (
	opProto      = 0x80
	opStop       = '.'
	opMark       = '('
	opDict       = '}'
	opList       = ']'
	opSetItems   = 'u'
	opAppends    = 'e'
	opInt1       = 'K'
	opInt2       = 'M'
	opInt4       = 'J'
	opLong1      = 0x8a
	opTrue       = 0x88
	opFalse      = 0x89
	opTuple2     = 0x86
	opShortText  = 0x8c
	opText       = 'X'
	opMemoize    = 0x94
	opGet        = 'h'
	opLongGet    = 'j'
	protocol     = 4
	pickleAppend = 1000 // values that are appended at a time
)

func newPickler(w io.Writer) *pickler {
	p := &pickler{w: bufio.NewWriter(w), text: map[string]uint32{}}
	p.w.Write([]byte{opProto, protocol})
	return p
}

// close ends the pickle and returns the first error of writing.
func (p *pickler) close() error {
	p.w.WriteByte(opStop)
	return p.w.Flush()
}

func (p *pickler) int(v int64) {
	switch {
	case v >= 0 && v < 1<<8:
		p.w.Write([]byte{opInt1, byte(v)})
	case v >= 0 && v < 1<<16:
		p.w.Write([]byte{opInt2, byte(v), byte(v >> 8)})
	case v >= -1<<31 && v < 1<<31:
		p.w.WriteByte(opInt4)
		p.w.Write(binary.LittleEndian.AppendUint32(nil, uint32(v)))
	default:
		b := binary.LittleEndian.AppendUint64(nil, uint64(v))
		n := 8
		if v > 0 {
			n = bits.Len64(uint64(v))/8 + 1 // with room for the sign
		}
		p.w.Write([]byte{opLong1, byte(n)})
		p.w.Write(b[:n])
	}
}

func (p *pickler) bool(v bool) {
	if v {
		p.w.WriteByte(opTrue)
	} else {
		p.w.WriteByte(opFalse)
	}
}

func (p *pickler) str(s string) {
	if id, ok := p.text[s]; ok {
		p.get(id)
		return
	}
	if len(s) < 1<<8 {
		p.w.Write([]byte{opShortText, byte(len(s))})
	} else {
		p.w.WriteByte(opText)
		p.w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(s))))
	}
	p.w.WriteString(s)
	p.text[s] = p.remember()
}

// remember gives the value that was just written a number.
func (p *pickler) remember() uint32 {
	p.w.WriteByte(opMemoize)
	p.next++
	return p.next - 1
}

// get writes a value again that was remembered.
func (p *pickler) get(id uint32) {
	if id < 1<<8 {
		p.w.Write([]byte{opGet, byte(id)})
		return
	}
	p.w.WriteByte(opLongGet)
	p.w.Write(binary.LittleEndian.AppendUint32(nil, id))
}

// dict writes a dictionary; items writes keys and values in turn.
func (p *pickler) dict(items func()) {
	p.w.Write([]byte{opDict, opMark})
	items()
	p.w.WriteByte(opSetItems)
}

// list writes a list of n values.
func (p *pickler) list(n int, item func(i int)) {
	p.w.WriteByte(opList)
	for from := 0; from < n; from += pickleAppend {
		p.w.WriteByte(opMark)
		for i := from; i < min(from+pickleAppend, n); i++ {
			item(i)
		}
		p.w.WriteByte(opAppends)
	}
}
