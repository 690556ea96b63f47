//go:build linux || darwin

package reelfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reel/event"
)

const (
	killEnv     = "REELFILE_TEST_KILL" // path of the recording that the child makes
	killMode    = "REELFILE_TEST_MODE"
	killWorkers = 3
	killReport  = 16   // marks between reports
	killLead    = 4096 // marks that one may be ahead of another
)

// TestKillChild is no test: it is the program that TestKill kills. Each of its
// goroutines writes marks with rising numbers, each within a range, and reports
// through standard output what it has written.
func TestKillChild(t *testing.T) {
	path := os.Getenv(killEnv)
	if path == "" {
		t.Skip("runs as the child of TestKill")
	}
	opt := Options{MaxBytes: 512 << 20}
	if os.Getenv(killMode) == "flight" {
		opt = Options{Mode: Flight, MaxBytes: 2 << 20, Chunk: 16 << 10}
	}
	w, err := Create(path, opt)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	// This range is never ended, so that one is open whenever the program is killed.
	w.Track(event.Track{Place: event.Thread, A: 1, B: killWorkers}, "held").Begin(Of(Range, w.Intern("held")), 0, Ticks())
	var all sync.WaitGroup
	var at [killWorkers]atomic.Int64
	for g := range killWorkers {
		all.Go(func() { killWork(w, g, &at) })
	}
	all.Wait()
}

func killWork(w *Writer, g int, at *[killWorkers]atomic.Int64) {
	t := w.Track(event.Track{Place: event.Thread, A: 1, B: int64(g)}, fmt.Sprint("worker ", g))
	outer := Of(Range, w.Intern("outer"))
	mark := Of(Mark, w.Intern("mark")).With(Value)
	var report [16]byte
	binary.LittleEndian.PutUint64(report[:], uint64(g))
	for i := int64(1); ; i++ {
		s := t.Begin(outer, 0, Ticks())
		t.Mark(mark, i, Ticks())
		s.End(Ticks())
		if i%killReport == 0 {
			binary.LittleEndian.PutUint64(report[8:], uint64(i))
			if _, err := os.Stdout.Write(report[:]); err != nil {
				os.Exit(4)
			}
			at[g].Store(i)
			for k := range at { // nobody may run around the ring while another waits
				for at[k].Load() < i-killLead {
					runtime.Gosched()
				}
			}
		}
		if i%1000 == 0 {
			w.Intern(fmt.Sprint("name ", g, i)) // chunks of names are written as well
		}
	}
}

// TestKill kills a program under load a hundred times at random instants: each
// recording opens, and all that each goroutine had reported is in it, without a
// gap.
func TestKill(t *testing.T) {
	rounds := 100
	if testing.Short() || raceEnabled {
		rounds = 10
	}
	dir := t.TempDir()
	unfinished, records := 0, 0
	for i := range rounds {
		mode := []string{"full", "flight"}[i%2]
		path := filepath.Join(dir, fmt.Sprint(i, ".reel"))
		reported := killOne(t, path, mode, time.Duration(rand.Int64N(6e6)))
		events, info := contents(t, path)
		seen := checkKilled(t, events, info, mode, reported)
		records += seen
		for _, w := range info.Warnings {
			switch w.Code {
			case "unfinished":
				unfinished += int(w.Count)
			case "not-closed", "half-written":
			default:
				t.Errorf("round %d, %s: %v", i, mode, w)
			}
		}
		os.Remove(path)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds, %d events, %d ranges unfinished", rounds, records, unfinished)
	if unfinished < rounds/2 {
		t.Errorf("%d ranges were unfinished: each full recording has the one that is never ended", unfinished)
	}
}

// killOne runs the child, kills it so long after its first report, and returns
// the last report of each worker.
func killOne(t *testing.T, path, mode string, after time.Duration) [killWorkers]int64 {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKillChild$")
	cmd.Env = append(os.Environ(), killEnv+"="+path, killMode+"="+mode)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var last [killWorkers]int64
	var report [16]byte
	for first := true; ; first = false {
		if _, err := io.ReadFull(out, report[:]); err != nil {
			break
		}
		if first {
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
		last[binary.LittleEndian.Uint64(report[:])] = int64(binary.LittleEndian.Uint64(report[8:]))
	}
	_ = cmd.Wait()
	return last
}

// checkKilled checks that the marks of each worker rise and reach as far as it
// reported; in full mode they begin at 1 and have no gap. (A flight recorder may
// keep an older chunk in which a goroutine was stopped in the middle of a record.)
func checkKilled(t *testing.T, events []event.Event, info event.Info, mode string, reported [killWorkers]int64) int {
	t.Helper()
	var first, last [killWorkers]int64
	for _, e := range events {
		if e.Kind != event.Mark {
			continue
		}
		g := e.Track.B
		if first[g] == 0 {
			first[g] = e.Value
		} else if e.Value <= last[g] || e.Value != last[g]+1 && mode == "full" {
			t.Fatalf("worker %d: mark %d follows %d", g, e.Value, last[g])
		}
		last[g] = e.Value
	}
	for g, want := range reported {
		if last[g] < want {
			t.Errorf("%s: worker %d reported %d, the recording ends at %d (%v)", mode, g, want, last[g], info.Warnings)
		}
		if mode == "full" && last[g] > 0 && first[g] != 1 {
			t.Errorf("worker %d begins at %d", g, first[g])
		}
	}
	return len(events)
}
