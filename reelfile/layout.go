package reelfile

import "encoding/binary"

// Numbers of the layout; docs/recording.md explains them.
const (
	magic   = "\x89REEL\r\n\x1a"
	version = 1

	headerSize   = 1024 // the fields of chunk 0, before the ring of clock samples
	chunkHead    = 128
	recordSize   = 32
	minChunk     = 4 << 10
	maxChunk     = 16 << 20
	defaultChunk = 64 << 10
	chunkMagic   = 0x4B4E4843

	// words of the header (offset / 8)
	hMagic    = 0
	hVersion  = 1 // version, chunk size
	hState    = 2 // state, mode
	hLimit    = 3
	hPid      = 4
	hRank     = 5 // rank, world
	hHost     = 6 // host, producer
	hNext     = 7
	hStart    = 8 // ticks, mono, real
	hCounters = 16
	hClocks   = 32
	hProps    = 64
	hRing     = headerSize / 8

	maxClocks = 8
	maxProps  = 32

	// words of a chunk's header
	cWord   = 0
	cSeq    = 1
	cMagic  = 2 // magic, index
	cTrack  = 3 // handle, place
	cA      = 4
	cB      = 5
	cLabel  = 6 // label, name
	cClock  = 7
	cSample = 8 // ticks, mono, real
)

// States of a file.
const (
	fileMaking    = 0
	fileRecording = 1
	fileClosed    = 2
	fileSaved     = 3
)

// States and types of a chunk.
const (
	chunkFree      = 0
	chunkLive      = 1
	chunkRecycling = 2

	chunkRecords = 1
	chunkStrings = 2
)

// chunkWord is the word that publishes a chunk.
func chunkWord(state, kind uint64, gen uint32) uint64 { return state | kind<<8 | uint64(gen)<<32 }

// Kinds of clocks.
const (
	clockNone  = 0
	clockNanos = 1 // ticks are nanoseconds of the monotonic clock
	clockTSC   = 2
	clockOther = 4
)

// Mode says what happens when a recording reaches its bound.
type Mode uint8

// The modes.
const (
	Full   Mode = iota // events are dropped and counted
	Flight             // the oldest chunks are recycled: the latest part is kept
)

// String returns "full" or "flight".
func (m Mode) String() string {
	if m == Flight {
		return "flight"
	}
	return "full"
}

// IsRecording reports whether a file that begins with head is a recording.
func IsRecording(head []byte) bool {
	return len(head) >= len(magic) && string(head[:len(magic)]) == magic
}

// pair packs two 32-bit fields as they lie in the file.
func pair(lo, hi uint32) uint64 { return uint64(lo) | uint64(hi)<<32 }

func unpair(w uint64) (lo, hi uint32) { return uint32(w), uint32(w >> 32) }

// word reads word i of a header.
func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
