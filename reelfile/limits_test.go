package reelfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reel/event"
)

// fillMarks writes n numbered marks and returns how many found room.
func fillMarks(w *Writer, n int) (kept int) {
	t := w.Track(event.Track{Place: event.Thread, A: 1, B: 1}, "main")
	d := Of(Mark, w.Intern("m")).With(Value)
	for i := range n {
		if t.Mark(d, int64(i), w.Clock().Now()) {
			kept++
		}
	}
	return kept
}

// checkMarks checks that the first kept marks are there.
func checkMarks(t *testing.T, events []event.Event, kept int) {
	t.Helper()
	n := 0
	for _, e := range events {
		if e.Kind == event.Mark {
			if e.Value != int64(n) {
				t.Fatalf("mark %d follows %d", e.Value, n)
			}
			n++
		}
	}
	if n != kept {
		t.Errorf("%d marks, want %d", n, kept)
	}
}

func TestBound(t *testing.T) {
	for _, heap := range []bool{false, true} {
		w := create(t, Options{MaxBytes: 1 << 20, Heap: heap})
		kept := fillMarks(w, 100_000)
		if c := w.Counts(); kept < 20_000 || kept > 32768 || c.Bound != int64(100_000-kept) || c.Dropped() != c.Bound {
			t.Errorf("%d kept, %+v", kept, c)
		}
		events, info := closed(t, w)
		checkMarks(t, events, kept)
		if warnings(info) != fmt.Sprint("dropped:", 100_000-kept) || info.Bytes > 1<<20 {
			t.Errorf("%d bytes: %v", info.Bytes, info.Warnings)
		}
	}
}

// TestFullDisk records onto a file system of 1 MiB: what has no room is dropped
// and counted, or the ring stays as small as the disk; nothing is killed.
func TestFullDisk(t *testing.T) {
	for _, mode := range []Mode{Full, Flight} {
		w, err := Create(filepath.Join(smallDisk(t), "rec.reel"), Options{Mode: mode, MaxBytes: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		kept := fillMarks(w, 100_000)
		events, info := closed(t, w)
		c := w.Counts()
		if mode == Full {
			checkMarks(t, events, kept)
			if kept < 10_000 || c.Disk != int64(100_000-kept) || warnings(info) != fmt.Sprint("dropped:", c.Disk) {
				t.Errorf("%d kept, %+v, %v", kept, c, info.Warnings)
			}
		} else if kept != 100_000 || c.Recycled == 0 || len(info.Warnings) > 0 || len(events) < 20_000 || events[len(events)-1].Value != 99_999 {
			t.Errorf("flight: %d kept, %d of them still there, %+v, %v", kept, len(events), c, info.Warnings)
		}
	}
	dir := smallDisk(t)
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, 1<<20-4096), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "rec.reel")
	if _, err := Create(path, Options{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a failed recording was left")
	}
}

// TestDiskFreed checks that a recording goes on when the disk has room again.
func TestDiskFreed(t *testing.T) {
	dir := smallDisk(t)
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, 512<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Create(filepath.Join(dir, "rec.reel"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	before := fillMarks(w, 50_000)
	os.Remove(big)
	deadline := time.Now().Add(time.Minute) // the background looks once a second
	for fillMarks(w, 1) == 0 {
		if time.Now().After(deadline) {
			t.Fatalf("%d kept, then none: %+v", before, w.Counts())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// smallDisk mounts a file system of 1 MiB.
func smallDisk(t *testing.T) string {
	dir := t.TempDir()
	if err := mountTmpfs(dir, 1<<20); err != nil {
		t.Skipf("no small file system here (needs root): %v", err)
	}
	t.Cleanup(func() { unmount(dir) })
	return dir
}

func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // root may write anyway: take a file system that is read-only
		if err := mountTmpfs(dir, 1<<20); err != nil {
			t.Skipf("root may write everywhere, and no file system can be mounted: %v", err)
		}
		defer unmount(dir)
		if err := remountReadOnly(dir); err != nil {
			t.Skip(err)
		}
	}
	if _, err := Create(filepath.Join(dir, "rec.reel"), Options{}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}

func TestAfterClose(t *testing.T) {
	w := create(t, Options{})
	tr := w.Track(event.Track{Place: event.Thread}, "main")
	d := Of(Range, w.Intern("r"))
	open := tr.Begin(d, 0, Ticks())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !open.End(Ticks()) {
		t.Error("a range that was open at Close may end")
	}
	tr.BeginTo(&open, d, 0, Ticks()) // leaves nothing of the range before
	if open.End(Ticks()) || tr.Mark(d, 0, 0) || w.Track(event.Track{}, "").Mark(d, 0, 0) {
		t.Error("written after Close")
	}
	if w.Close() != nil || w.Counts().Closed != 3 {
		t.Errorf("%+v", w.Counts())
	}
	if events, info := contents(t, w.Path()); len(events) != 2 || !strings.Contains(warnings(info), "dropped:3") {
		t.Errorf("%v %v", events, info.Warnings)
	}
}

// TestSave saves a copy while recording goes on and never replaces a file.
func TestSave(t *testing.T) {
	for _, heap := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "rec.reel")
		if heap {
			path = ""
		}
		w, err := Create(path, Options{Heap: heap})
		if err != nil {
			t.Fatal(err)
		}
		kept := fillMarks(w, 5000)
		to := filepath.Join(t.TempDir(), "copy.reel")
		if err := w.Save(to); err != nil {
			t.Fatal(err)
		}
		if err := w.Save(to); !errors.Is(err, os.ErrExist) {
			t.Errorf("a second copy: %v", err)
		}
		if err := w.Save(filepath.Join(to, "x")); err == nil {
			t.Error("saved into a file")
		}
		w.Close()
		events, info := contents(t, to)
		checkMarks(t, events, kept)
		if len(info.Warnings) > 0 {
			t.Error(info.Warnings)
		}
		if left, _ := os.ReadDir(filepath.Dir(to)); len(left) != 1 {
			t.Errorf("left beside the copy: %v", left)
		}
	}
}
