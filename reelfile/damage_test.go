package reelfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
)

// small makes a recording of 4 KiB chunks that holds some of everything.
func small(t testing.TB, mode Mode) []byte {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "rec.reel"), Options{Mode: mode, Clock: NanosecondClock(), Chunk: 4 << 10, MaxBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAdder(w)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range parse(t, sampleText) {
		if _, err := a.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	tr := w.Track(event.Track{Place: event.Thread, A: 1, B: 2}, "main")
	d := Of(Range, w.Intern("r")).With(Index).Role(event.Step)
	for i := range int64(300) {
		s := tr.Begin(d, i, uint64(w.start.mono+10*i))
		if i%100 != 5 {
			s.End(uint64(w.start.mono + 10*i + 5))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readAll reads a recording to its end; errors are allowed, panics are not.
func readAll(t testing.TB, data []byte) (events int, info event.Info, err error) {
	t.Helper()
	s, err := New(bytes.NewReader(data), int64(len(data)), "f")
	if err != nil {
		return 0, info, err
	}
	var b event.Batch
	for {
		err := s.Next(&b)
		for i := range b.Len() {
			e := b.Event(i)
			if e.Kind == event.NoKind || int(b.Track[i]) >= len(b.Tracks) || e.Dur < 0 && e.Kind != event.Meta {
				t.Fatalf("%+v", e)
			}
		}
		events += b.Len()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			return events, s.Info(), nil
		}
		if events > len(data) {
			t.Fatal("more events than bytes")
		}
	}
}

// TestTruncated cuts a recording at every length: it opens from the header on,
// says that it was cut, and never gives fewer events than a shorter piece.
func TestTruncated(t *testing.T) {
	data := small(t, Full)
	whole, _, err := readAll(t, data)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for n := 0; n < len(data); n += 31 {
		events, info, err := readAll(t, data[:n])
		if n < headerSize {
			if err == nil {
				t.Fatalf("%d bytes opened", n)
			}
			continue
		}
		if err != nil || info.Complete || info.MissingPercent <= 0 || !strings.Contains(warnings(info), "cut:1") {
			t.Fatalf("%d bytes: %v %+v", n, err, info)
		}
		if events < last-8 { // an event cut off its arguments may be left out
			t.Fatalf("%d bytes: %d events, %d before", n, events, last)
		}
		last = events
	}
	if last < whole-8 {
		t.Errorf("%d events of %d", last, whole)
	}
}

// TestDamage spoils words of a recording and looks for the warning.
func TestDamage(t *testing.T) {
	const chunk = 4 << 10
	data := small(t, Full)
	records, names := -1, -1
	for i := chunk; i < len(data); i += chunk {
		if w := word(data[i:], 0); w>>8&0xff == chunkStrings {
			names = i
		} else if records < 0 {
			records = i
		}
	}
	rec := records + chunkHead
	for _, c := range []struct {
		at    int
		value uint64
		want  string
	}{
		{records, 9, "damaged-chunk:1"},
		{records + 16, 0, "damaged-chunk:1"},
		{records + 24, 1 | 9<<32, "damaged-chunk:1"},
		{records + 56, 77, "damaged-chunk:1"},
		{records, 0, ""},
		{records, chunkWord(chunkRecycling, chunkRecords, 0), ""},
		{rec, 0, "half-written:1"},
		{rec, recordWord(slotDone, 3, 5), "mixed-record:1"},
		{rec, recordWord(slotOpen, 0, 0), "unfinished:4"},
		{rec, recordWord(slotVoid, 0, 0), ""},
		{rec + 8, 1 << 63, "bad-time:1"},
		{rec + 16, 15 << descKind, "bad-record:1"},
		{rec + 16, 1<<descKind | 0xffffff, "missing-name:1"},
		{names + chunkHead, 5 | 1<<60, "damaged-names:1"},
		{8 * hNext, 1 << 62, "damaged-header:1"},
		{8 * hNext, 1000, "cut:1"},
		{8 * hState, pair(fileRecording, 1), "not-closed:1"},
		{8 * hCounters, 12, "dropped:12"},
	} {
		spoilt := bytes.Clone(data)
		binary.LittleEndian.PutUint64(spoilt[c.at:], c.value)
		_, info, err := readAll(t, spoilt)
		if err != nil || !strings.Contains(warnings(info), c.want) {
			t.Errorf("%#x at %d: %v, %v; want %s", c.value, c.at, err, info.Warnings, c.want)
		}
	}
	for _, at := range []int{0, 8, 12, 16} {
		spoilt := bytes.Clone(data)
		binary.LittleEndian.PutUint32(spoilt[at:], 0)
		if _, _, err := readAll(t, spoilt); err == nil {
			t.Errorf("a header with 0 at %d opened", at)
		}
	}
}

// TestNoise spoils recordings at random.
func TestNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	data := small(t, Full)
	rounds := 1000
	if raceEnabled {
		rounds = 100
	}
	for range rounds {
		spoilt := bytes.Clone(data)
		for range 1 + rnd.IntN(20) {
			at := rnd.IntN(len(spoilt))
			spoilt[at] = byte(rnd.Uint32())
		}
		_, _, _ = readAll(t, spoilt)
	}
}

func FuzzOpen(f *testing.F) {
	full, flight := small(f, Full), small(f, Flight)
	f.Add(full)
	f.Add(flight)
	f.Add(full[:5000])
	f.Fuzz(func(t *testing.T, data []byte) { _, _, _ = readAll(t, data) })
}
