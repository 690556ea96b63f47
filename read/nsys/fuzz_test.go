package nsys

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"
	"time"

	"reel/event"
	"reel/internal/nsysgen"
)

// drain reads all ranks of an export and returns how many events they have.
func drain(t testing.TB, b []byte, opt Options) (n int) {
	t.Helper()
	// Far beyond what reading takes: a reader that hangs fails, a slow machine does not.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ranks, err := Ranks(ctx, bytes.NewReader(b), int64(len(b)), "x")
	if err != nil {
		return 0
	}
	for _, r := range ranks[:min(len(ranks), 3)] {
		opt.Process = r.Process
		s, err := New(ctx, bytes.NewReader(b), int64(len(b)), "x", opt)
		if err != nil {
			continue
		}
		for _, err := range event.All(s) {
			if err != nil {
				break
			}
			n++
		}
		s.Info()
		s.Close()
	}
	if ctx.Err() != nil {
		t.Errorf("it did not end")
	}
	if n > len(b) {
		t.Errorf("%d events out of %d bytes", n, len(b))
	}
	return n
}

// FuzzSource changes bytes of synthetic exports: four bytes of edits are a place and a
// value. No file may make it panic, hang, or give more events than it has bytes.
func FuzzSource(f *testing.F) {
	var files [][]byte
	for _, name := range []string{"names", "ranks", "memory", "registered", "empty"} {
		files = append(files, generated(f, name, nsysgen.New))
	}
	f.Add(uint8(0), []byte{})
	f.Add(uint8(0), []byte{0, 0, 28, 255})                       // the number of pages
	f.Add(uint8(1), []byte{0, 0, 16, 2, 0, 0, 100, 5})           // the size of a page, the sort of the first
	f.Add(uint8(2), []byte{0, 16, 0, 2, 0, 16, 3, 255})          // an inner page instead of a leaf
	f.Add(uint8(3), []byte{0, 16, 8, 255, 0, 16, 9, 255})        // where a cell lies
	f.Add(uint8(4), []byte{0, 31, 200, 129, 0, 31, 201, 255})    // the length of a text
	f.Add(uint8(1), bytes.Repeat([]byte{0, 0, 0, 'S'}, 3))       // no change
	f.Add(uint8(0), []byte{0, 0, 101, 0, 0, 0, 103, 0, 1, 0, 0}) // and a rest
	f.Fuzz(func(t *testing.T, file uint8, edits []byte) {
		b := bytes.Clone(files[int(file)%len(files)])
		for ; len(edits) >= 4; edits = edits[4:] {
			at := binary.BigEndian.Uint32(edits) >> 8
			b[int(at)%len(b)] = edits[3]
		}
		if len(edits) == 3 { // cut
			b = b[:int(binary.BigEndian.Uint16(edits))%len(b)]
		}
		drain(t, b, Options{AllArgs: true, Workers: 2, Chunk: 8})
	})
}

// FuzzBytes reads anything.
func FuzzBytes(f *testing.F) {
	f.Add(generated(f, "bare", nsysgen.Old)[:8192])
	f.Fuzz(func(t *testing.T, b []byte) { drain(t, b, Options{Workers: 1}) })
}

// TestFlippedBytes flips single bytes all over a small export, those of the schema and of
// every table among them, and cuts it at every page.
func TestFlippedBytes(t *testing.T) {
	b := generated(t, "names", nsysgen.New)
	whole := drain(t, b, Options{})
	if whole == 0 {
		t.Fatal("no events")
	}
	step := 211
	if testing.Short() {
		step = 1009
	}
	for at := 0; at < len(b); at += step {
		c := bytes.Clone(b)
		c[at] ^= 1 << (at % 8)
		drain(t, c, Options{Workers: 1})
	}
	for n := 0; n < len(b); n += 4096 {
		if got := drain(t, b[:n], Options{Workers: 1}); got > whole {
			t.Errorf("cut at %d: %d events, %d in the whole", n, got, whole)
		}
	}
}

// TestHostile: tables that claim more than the file holds end.
func TestHostile(t *testing.T) {
	b := generated(t, "names", nsysgen.New)
	// An inner page whose children are itself: SQLite follows it to its depth.
	for page := 1; page < len(b)/4096; page++ {
		c := bytes.Clone(b)
		p := c[page*4096:]
		if p[0] != 13 { // a leaf of a table
			continue
		}
		p[0] = 5
		n := int(binary.BigEndian.Uint16(p[3:]))
		binary.BigEndian.PutUint32(p[8:], uint32(page+1)) // the rightmost child
		for i := range n {
			binary.BigEndian.PutUint16(p[12+2*i:], 4000)
		}
		binary.BigEndian.PutUint32(p[4000:], uint32(page+1))
		drain(t, c, Options{Workers: 1})
	}
}
