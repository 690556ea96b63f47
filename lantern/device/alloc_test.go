package device

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func alloc(t testing.TB, s *Stream, n int) Buffer {
	t.Helper()
	b, err := s.Alloc(ctx, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAllocatorReuses(t *testing.T) {
	d := device(t, Options{})
	s := d.NewStream("a")
	a, b := alloc(t, s, 1000), alloc(t, s, 3)
	if len(a.Data()) != 1000 || len(b.Data()) != 3 || a.Len() != 1000 {
		t.Errorf("%d and %d values", len(a.Data()), len(b.Data()))
	}
	if m := d.Memory(); m.Allocated != 4096+512 || m.Reserved != smallSize || m.Segments != 1 || m.Allocs != 2 {
		t.Errorf("%+v", m)
	}
	first := &a.Data()[0]
	a.Free(ctx)
	a.Free(ctx)
	if a.Data() != nil || d.Memory().Allocated != 512 {
		t.Errorf("after Free: %d values, %+v", len(a.Data()), d.Memory())
	}
	c := alloc(t, s, 1100)
	if &c.Data()[0] == first {
		t.Error("a larger buffer got the place of a smaller one")
	}
	e := alloc(t, s, 900)
	if &e.Data()[0] != first || a.Data() != nil {
		t.Error("the place is not used again, or shows through the buffer before")
	}
	other := d.NewStream("b")
	alloc(t, other, 900)
	if m := d.Memory(); m.Segments != 2 {
		t.Errorf("streams share a segment: %+v", m)
	}
	d.ResetPeak()
	for _, x := range []Buffer{b, c, e} {
		x.Free(ctx)
	}
	d.EmptyCache()
	if m := d.Memory(); m.Segments != 1 || m.ReservedPeak != 2*smallSize || m.Reserved != smallSize {
		t.Errorf("after EmptyCache: %+v", m)
	}
}

// TestAllocatorRandom keeps the books while it allocates and frees at random.
func TestAllocatorRandom(t *testing.T) {
	d := device(t, Options{Memory: 256 << 20})
	s := d.NewStream("a")
	var live []Buffer
	seed := uint32(1)
	next := func(n int) int { seed = seed*1664525 + 1013904223; return int(seed>>8) % n }
	for i := range 3000 {
		if len(live) > 0 && next(5) < 2 || len(live) > 60 {
			k := next(len(live))
			live[k].Free(ctx)
			live = append(live[:k], live[k+1:]...)
			continue
		}
		n := 1 + next(1<<(4+next(17)))
		b := alloc(t, s, n)
		x := b.Data()
		x[0], x[n-1] = float32(i), float32(i)
		live = append(live, b)
	}
	var sum int64
	for _, b := range live {
		if x := b.Data(); x[0] != x[len(x)-1] {
			t.Fatal("buffers overlap")
		}
		sum += int64(b.Len()+roundTo/4-1) / (roundTo / 4) * roundTo
		b.Free(ctx)
	}
	if m := d.Memory(); m.Allocated != 0 || m.AllocatedPeak < sum {
		t.Errorf("%+v", m)
	}
	for _, g := range d.mem.segs {
		if b := g.first; b.size != g.size || b.next != nil {
			t.Errorf("a segment is in pieces though all is free: %d of %d", b.size, g.size)
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	d := device(t, Options{Memory: 8 << 20})
	s := d.NewStream("a")
	b := alloc(t, s, 1000) // a small segment
	_, err := s.Alloc(ctx, 2<<20)
	var oom *OutOfMemory
	if !errors.As(err, &oom) || oom.Bytes != 8<<20 || oom.Reserved != smallSize {
		t.Fatalf("%v", err)
	}
	b.Free(ctx) // what is cached goes to make room
	if _, err := s.Alloc(ctx, 3<<20); err == nil {
		t.Error("more than there is was given")
	}
	if _, err := s.Alloc(ctx, -1); err == nil {
		t.Error("less than nothing was given")
	}
}

// TestUsedOn keeps memory from being used again while another stream works on it.
func TestUsedOn(t *testing.T) {
	d := device(t, Options{})
	a, b := d.NewStream("a"), d.NewStream("b")
	x := alloc(t, a, 100)
	first := &x.Data()[0]
	gate := make(chan struct{})
	b.Launch(ctx, "long", Work{}, func(*Kernel) { <-gate })
	x.UsedOn(b)
	x.UsedOn(b)
	x.Free(ctx)
	y := alloc(t, a, 100)
	if &y.Data()[0] == first {
		t.Error("memory was used again while the other stream had it")
	}
	close(gate)
	if err := b.Synchronize(ctx); err != nil {
		t.Fatal(err)
	}
	y.Free(ctx)
	if z := alloc(t, a, 100); &z.Data()[0] != first {
		t.Error("memory was not used again afterwards")
	}
}

// storied makes a device with a history of all kinds.
func storied(t testing.TB) *Device {
	d := device(t, Options{ID: 1, Memory: 64 << 20})
	d.RecordHistory(&HistoryOptions{Stacks: true})
	s, other := d.NewStream("a"), d.NewStream("b")
	alloc(t, s, 300).Free(ctx)
	big := alloc(t, s, 3<<20)
	alloc(t, s, 100)
	gate := make(chan struct{})
	other.Launch(ctx, "long", Work{}, func(*Kernel) { <-gate })
	big.UsedOn(other)
	big.Free(ctx)
	t.Cleanup(func() { close(gate) })
	s.Alloc(ctx, 15<<20)
	return d
}

// TestSnapshotPython gives the snapshot to Python's pickle, and to PyTorch's own
// reader where there is one.
func TestSnapshotPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if p := os.Getenv("REEL_PYTHON"); p != "" {
		python, err = p, nil
	}
	if err != nil {
		t.Skip("there is no python3: the snapshot is not read by Python")
	}
	path := filepath.Join(t.TempDir(), SnapshotName(0))
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	d := storied(t)
	if err := d.WriteSnapshot(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	out, err := exec.Command(python, "testdata/snapshot.py", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "actions segment_alloc alloc free_requested free_completed segment_alloc alloc alloc free_requested oom\n" +
		"blocks small active_allocated 400 inactive 2096640\nblocks large active_pending_free 12582912\n" +
		"frames TestSnapshotPython storied alloc\n"
	if !strings.HasPrefix(string(out), want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if !strings.Contains(string(out), "torch:") {
		t.Log("PyTorch's reader was not asked: torch is not installed there (REEL_PYTHON names a Python that has it)")
	}
}

// TestPickleInts reads numbers of all sizes back.
func TestPickleInts(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	list := []int64{0, 1, 255, 256, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<39 - 1, 1 << 39, 1<<47 + 5, 1<<63 - 1, -1, -129, -1 << 31, -1<<31 - 1, -1 << 63}
	var b bytes.Buffer
	p := newPickler(&b)
	p.list(2500, func(i int) { p.int(list[i%len(list)]) })
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", "import pickle,sys; x=pickle.load(sys.stdin.buffer); print(len(x), *x[:17], x[2499])")
	cmd.Stdin = &b
	out, err := cmd.CombinedOutput()
	want := "2500 0 1 255 256 65535 65536 2147483647 2147483648 549755813887 549755813888 140737488355333 9223372036854775807 -1 -129 -2147483648 -2147483649 -9223372036854775808 0"
	if err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("%v: %s", err, out)
	}
}

func TestSnapshotFaults(t *testing.T) {
	if err := device(t, Options{ID: 5000}).WriteSnapshot(&bytes.Buffer{}); err == nil {
		t.Error("a device of any number has a place")
	}
	if err := storied(t).WriteSnapshot(full{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("no space left")

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestHistoryRing keeps the latest entries.
func TestHistoryRing(t *testing.T) {
	d := device(t, Options{})
	d.RecordHistory(&HistoryOptions{Entries: 4})
	s := d.NewStream("a")
	for i := range 5 {
		alloc(t, s, 128*(i+1)).Free(ctx)
	}
	h := d.mem.hist
	var got []string
	for i := range h.entries {
		got = append(got, h.entries[(h.at+i)%len(h.entries)].action)
	}
	if strings.Join(got, " ") != "free_completed alloc free_requested free_completed" {
		t.Errorf("%v", got)
	}
	d.RecordHistory(nil)
	alloc(t, s, 5)
	if d.mem.hist != nil {
		t.Error("the history goes on")
	}
}
