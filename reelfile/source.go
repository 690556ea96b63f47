package reelfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"reel/event"
)

// Source is an open recording, an event.Source. It is used by one goroutine.
//
// It gives the events chunk by chunk in the order in which chunks were given
// out, so those of one track handle are in the order of their beginning; ranges
// that never ended come last. Memory is bounded by the names and one chunk.
type Source struct {
	r      io.ReaderAt
	file   *os.File
	name   string
	size   int64
	chunk  int64
	chunks []chunkInfo
	next   int
	buf    []byte
	names  nameList
	times  times
	named  map[event.Track]string
	open   []event.Event // ranges that never ended, for the end
	latest int64         // the latest time seen, ns
	info   event.Info
	warn   event.Warnings
	events int64
	done   error

	strs []event.Str // the batch's id + 1 of each name, 0 not yet
	used []uint32    // the names that strs holds
	text []byte      // scratch
}

// ErrNotRecording is wrapped by the errors of files that are no recording.
var ErrNotRecording = errors.New("not a Reel recording")

// Open opens the recording at path; it may still be growing.
func Open(path string) (*Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reel: %w", err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("reel: %w", err)
	}
	s, err := New(f, st.Size(), path)
	if err != nil {
		f.Close()
		return nil, err
	}
	s.file = f
	return s, nil
}

// New opens the recording that r holds, of so many bytes; name is for messages. An
// *os.File may still be growing.
func New(r io.ReaderAt, size int64, name string) (*Source, error) {
	s := &Source{r: r, name: name, size: size, named: map[event.Track]string{}}
	head := make([]byte, headerSize)
	if n, err := r.ReadAt(head, 0); n < headerSize {
		if err == nil || errors.Is(err, io.EOF) {
			err = ErrNotRecording
			if IsRecording(head) {
				err = errors.New("cut within the header")
			}
		}
		return nil, fmt.Errorf("reel: %s: %w", name, err)
	}
	if err := s.header(head); err != nil {
		return nil, fmt.Errorf("reel: %s: %w", name, err)
	}
	s.grown(head)
	s.buf = make([]byte, s.chunk)
	if err := s.index(); err != nil {
		return nil, fmt.Errorf("reel: %s: %w", name, err)
	}
	s.describe(head)
	return s, nil
}

// grown looks anew at the size of a file that is still being written: it may have grown
// before its header was read, and is as long as that says by then.
func (s *Source) grown(head []byte) {
	f, ok := s.r.(interface{ Stat() (os.FileInfo, error) })
	if state, _ := unpair(word(head, hState)); !ok || state != fileRecording {
		return
	}
	if st, err := f.Stat(); err == nil {
		s.size = max(s.size, st.Size())
	}
}

// Info returns what the recording says of itself; complete at the end.
func (s *Source) Info() event.Info { return s.info }

// Close closes the file. It may be called twice.
func (s *Source) Close() error {
	if s.done == nil {
		s.done = errors.New("reel: read after close")
	}
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}

// Next fills b with the events of the next chunk.
func (s *Source) Next(b *event.Batch) error {
	b.Reset()
	for _, id := range s.used {
		s.strs[id] = 0
	}
	s.used = s.used[:0]
	for s.done == nil && b.Len() == 0 {
		switch {
		case s.next < len(s.chunks):
			if err := s.read(b, s.chunks[s.next]); err != nil {
				s.done = fmt.Errorf("reel: %s: %w", s.name, err)
			}
			s.next++
		case len(s.open) > 0:
			s.closeOpen(b)
		default:
			s.finish()
			s.done = io.EOF
		}
	}
	s.events += int64(b.Len())
	if b.Len() > 0 {
		return nil
	}
	return s.done
}

func (s *Source) finish() {
	s.info.Events = s.events
	s.info.Warnings = s.warn.List()
}

func (s *Source) fault(code, text string, n int64) {
	s.warn.Add(event.Warning{Code: code, Text: text, Event: -1, Count: n})
}

// read gives the events of one chunk.
func (s *Source) read(b *event.Batch, c chunkInfo) error {
	n, err := s.r.ReadAt(s.buf, int64(c.index)*s.chunk)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n < chunkHead {
		return nil
	}
	var again [8]byte // of a file that is still written, the chunk may be another one by now
	if _, err := s.r.ReadAt(again[:], int64(c.index)*s.chunk); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if word(s.buf, cWord) != c.word || word(again[:], 0) != c.word {
		s.fault("overwritten", "a chunk was overwritten while it was read", 1)
		return nil
	}
	s.decode(b, c, s.buf[chunkHead:n])
	return nil
}
