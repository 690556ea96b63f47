package reelfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"reel/event"
)

// chunkInfo is what the header of a chunk of records says.
type chunkInfo struct {
	word   uint64
	seq    uint64
	index  uint32
	clock  uint32
	track  event.Track
	label  uint32
	name   uint32
	sample sample
}

// header reads the fields that the layout depends on.
func (s *Source) header(h []byte) error {
	if !IsRecording(h) {
		return ErrNotRecording
	}
	v, chunk := unpair(word(h, hVersion))
	state, _ := unpair(word(h, hState))
	switch {
	case v != version:
		return fmt.Errorf("layout version %d: this program reads version %d", v, version)
	case chunk < minChunk || chunk > maxChunk || bits.OnesCount32(chunk) != 1:
		return fmt.Errorf("chunks of %d bytes: damaged header", chunk)
	case state == fileMaking:
		return errors.New("its making was cut short: no header")
	}
	s.chunk = int64(chunk)
	s.times.start = sampleOf(h, hStart)
	for i := range maxClocks {
		c := &s.times.clocks[i]
		kind, name := unpair(word(h, hClocks+2*i))
		c.kind, c.name, c.hz = kind, name, word(h, hClocks+2*i+1)
	}
	return nil
}

func sampleOf(h []byte, at int) sample {
	return sample{word(h, at), int64(word(h, at+1)), int64(word(h, at+2))}
}

// index reads the headers of all chunks, the strings and the clock samples.
func (s *Source) index() error {
	n, err := s.r.ReadAt(s.buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	s.times.add(0, s.times.start)
	for at := headerSize; at+recordSize <= n; at += recordSize {
		r := s.buf[at:]
		if w := word(r, 0); w&3 == slotDone {
			s.times.add(uint32(w>>8), sampleOf(r, 1))
		}
	}
	var head [chunkHead]byte
	for i := int64(1); i*s.chunk < s.size; i++ {
		n, err := s.r.ReadAt(head[:], i*s.chunk)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n < chunkHead {
			break
		}
		if err := s.indexChunk(head[:], uint32(i)); err != nil {
			return err
		}
	}
	slices.SortFunc(s.chunks, func(a, b chunkInfo) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.index, b.index)) })
	s.strs = make([]event.Str, s.names.len())
	for i := range s.chunks {
		s.chunks[i].track.Label = s.nameOf(s.chunks[i].label)
	}
	s.times.finish(s)
	return nil
}

func (s *Source) indexChunk(h []byte, i uint32) error {
	w := word(h, cWord)
	if w&0xff == chunkFree || w&0xff == chunkRecycling {
		return nil
	}
	kind := w >> 8 & 0xff
	mark, index := unpair(word(h, cMagic))
	_, place := unpair(word(h, cTrack))
	c := chunkInfo{word: w, seq: word(h, cSeq), index: i, sample: sampleOf(h, cSample)}
	c.clock, _ = unpair(word(h, cClock))
	c.label, c.name = unpair(word(h, cLabel))
	if w&0xff != chunkLive || mark != chunkMagic || index != i || int(place) >= len(placeOf) ||
		c.clock >= maxClocks || kind != chunkRecords && kind != chunkStrings {
		s.fault("damaged-chunk", "a chunk is damaged and was left out", 1)
		return nil
	}
	if kind == chunkRecords {
		c.track = event.Track{Place: placeOf[place], A: int64(word(h, cA)), B: int64(word(h, cB))}
		if c.sample != (sample{}) {
			s.times.add(c.clock, c.sample)
		}
		s.chunks = append(s.chunks, c)
		return nil
	}
	n, err := s.r.ReadAt(s.buf, int64(i)*s.chunk)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !s.names.read(s.buf[min(chunkHead, n):n]) {
		s.fault("damaged-names", "a chunk of names is damaged in part", 1)
	}
	return nil
}

// describe fills in the info and warns of what the header tells.
func (s *Source) describe(h []byte) {
	state, mode := unpair(word(h, hState))
	rank, world := unpair(word(h, hRank))
	host, producer := unpair(word(h, hHost))
	base := s.times.start.real
	s.info = event.Info{Path: s.name, Format: "reel", Producer: s.nameOf(producer), Bytes: s.size, Text: s.size, Complete: true,
		Base: &base, Host: s.nameOf(host), Props: map[string]string{}}
	for i := range maxProps {
		if k, v := unpair(word(h, hProps+i)); k != 0 {
			s.info.Props[s.nameOf(k)] = s.nameOf(v)
		}
	}
	own := map[string]string{"pid": strconv.FormatInt(int64(word(h, hPid)), 10), "mode": Full.String()}
	if mode == 2 {
		own["mode"] = Flight.String()
	}
	counts := countsOf(func(c counter) int64 { return int64(min(word(h, hCounters+int(c)), 1<<62)) })
	if counts.Recycled > 0 {
		own["chunks recycled"] = strconv.FormatInt(counts.Recycled, 10)
	}
	maps.Copy(s.info.Props, own)
	if r := int(int32(rank)); r >= 0 {
		s.info.Rank = &r
	}
	if n := int(int32(world)); n > 0 {
		s.info.WorldSize = &n
	}
	if state == fileRecording {
		s.fault("not-closed", "the recording was not closed: its program was killed or is still running", 1)
	}
	for _, d := range []struct {
		n    int64
		text string
	}{{counts.Bound, "events were dropped: the size bound was reached"},
		{counts.Disk, "events were dropped: no room on the disk"},
		{counts.Closed, "events were dropped: written after the recording was closed"},
		{counts.Names, "names were not kept: no room for more"},
		{counts.NamesCut, "names were cut: longer than a chunk"},
		{counts.Arguments, "arguments were left out: more than an event can have"}} {
		if d.n > 0 {
			s.fault("dropped", d.text, d.n)
		}
	}
	s.checkLength(word(h, hNext))
}

// checkLength compares the file with what its header says was given out.
func (s *Source) checkLength(next uint64) {
	if next > 1<<62/uint64(s.chunk) {
		s.fault("damaged-header", "the header's number of chunks cannot be true", 1)
		return
	}
	if want := int64(next) * s.chunk; want > s.size {
		s.info.Complete = false
		s.info.MissingPercent = 100 * float64(want-s.size) / float64(want)
		s.fault("cut", "the file is cut: chunks that were written are missing", 1)
	}
}
