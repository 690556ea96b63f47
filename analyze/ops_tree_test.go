package analyze

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"reel/event"
	"reel/timeline"
)

// plainEvent is an event of the plain, slow form of torch's algorithm: explicit
// lists of children, and passes over all events until nothing collapses.
type plainEvent struct {
	name       string
	python     bool
	start, end int64
	kernels    int64
	memory     int64
	parent     *plainEvent
	children   []*plainEvent
}

func (e *plainEvent) device() int64 {
	sum := e.kernels
	for _, c := range e.children {
		sum += c.device()
	}
	return sum
}

// plainRow holds count, self CPU, CPU, self device and device time, self and whole memory.
type plainRow [7]int64

// plainRows gives the rows by name. Allocations are by time.
func plainRows(events []*plainEvent, allocations map[int64]int64) map[string]plainRow {
	slices.SortStableFunc(events, func(a, b *plainEvent) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	rows := map[string]plainRow{}
	for at, bytes := range allocations {
		held := false
		for _, e := range events {
			if e.start <= at && at <= e.end {
				e.memory, held = e.memory+bytes, true
			}
		}
		if r := rows["[memory]"]; !held {
			rows["[memory]"] = plainRow{r[0] + 1, 0, 0, 0, 0, r[5] + bytes, r[6] + bytes}
		}
	}
	plainNest(events)
	for _, e := range plainCollapse(events) {
		if e.python {
			continue
		}
		r := rows[e.name]
		self, selfMemory := e.end-e.start, e.memory
		for _, c := range e.children {
			self -= c.end - c.start
			selfMemory -= c.memory
		}
		for i, v := range []int64{1, self, e.end - e.start, e.kernels, e.device(), selfMemory, e.memory} {
			r[i] += v
		}
		rows[e.name] = r
	}
	return rows
}

func plainNest(events []*plainEvent) {
	var stack []*plainEvent
	for _, e := range events {
		for len(stack) > 0 {
			p := stack[len(stack)-1]
			if e.start < p.end && e.end <= p.end {
				e.parent, p.children = p, append(p.children, e)
				break
			}
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, e)
	}
}

func plainCollapse(events []*plainEvent) []*plainEvent {
	for {
		var kept []*plainEvent
		for _, e := range events {
			if p := e.parent; p != nil && p.name == e.name && len(p.children) == 1 {
				p.children, p.kernels = e.children, e.kernels
				for _, c := range e.children {
					c.parent = p
				}
				continue
			}
			kept = append(kept, e)
		}
		if len(kept) == len(events) {
			return kept
		}
		events = kept
	}
}

// TestOpsTreeAgainstPlainForm compares the one-pass form with the plain one on
// random ranges of few names, many of them nested alone.
func TestOpsTreeAgainstPlainForm(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for round := range 300 {
		plain, allocations, text := randomTrace(rnd)
		got := map[string]plainRow{}
		for _, r := range Ops(opsTimeline(t, text), OpsOptions{}).Rows {
			if r.DeviceType == "cpu" {
				row := plainRow{r.Count, r.SelfCPU, r.CPU}
				for i, v := range []*int64{r.SelfDevice, r.Device, r.SelfCPUMemory, r.CPUMemory} {
					if v != nil {
						row[3+i] = *v
					}
				}
				got[r.Name] = row
			}
		}
		if want := plainRows(plain, allocations); !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d:\n got %v\nwant %v\n%s", round, got, want, text)
		}
	}
}

// randomTrace returns a trace as text, and its events and allocations.
func randomTrace(rnd *rand.Rand) ([]*plainEvent, map[int64]int64, string) {
	var plain []*plainEvent
	var text strings.Builder
	text.WriteString("info prop \"host_name\" \"host\"\ninfo prop \"baseTimeNanoseconds\" \"0\"\ntrack cpu1/1\n")
	seen := map[[2]int64]bool{}
	for id := int64(1); id < 40; id++ {
		start, dur := rnd.Int64N(30), rnd.Int64N(30)
		if seen[[2]int64{start, dur}] {
			continue // equal times: the order is the trace's, and both are right
		}
		seen[[2]int64{start, dur}] = true
		e := &plainEvent{name: fmt.Sprint("op", rnd.IntN(3)), start: start * 1000, end: (start + dur) * 1000}
		plain = append(plain, e)
		class := "op"
		if e.python = rnd.IntN(4) == 0; e.python {
			class = "python"
		} else {
			e.kernels = id * 1_000_000 * rnd.Int64N(2)
		}
		fmt.Fprintf(&text, "range %s %q at %dns for %dns id %d\n", class, e.name, e.start, e.end-e.start, id)
		if e.kernels > 0 {
			fmt.Fprintf(&text, "track gpu0/7\ngpu kernel \"k\" at 1us for %dns id %d\ntrack cpu1/1\n", e.kernels, id)
		}
	}
	allocations := map[int64]int64{}
	text.WriteString("track cpu1/2\n")
	for range rnd.IntN(30) {
		at, bytes := rnd.Int64N(70)*1000, rnd.Int64N(200)-100
		if allocations[at] == 0 && bytes != 0 {
			allocations[at] = bytes
			fmt.Fprintf(&text, "mark hostmem \"[memory]\" at %dns value %d\n", at, bytes)
		}
	}
	return plain, allocations, text.String()
}

// FuzzOps checks that no trace makes Ops panic, and that the groupings agree.
func FuzzOps(f *testing.F) {
	files, _ := filepath.Glob("testdata/ops/*.txt")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		src, err := event.ParseText(strings.NewReader(text))
		if err != nil {
			return
		}
		tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: OpsArgs})
		if err != nil {
			t.Fatal(err)
		}
		byName := Ops(tl, OpsOptions{})
		for _, by := range []OpsBy{OpsByShape, OpsByStack} {
			rep := Ops(tl, OpsOptions{By: by, Sort: SortFLOPs})
			if rep.SelfCPU != byName.SelfCPU || !reflect.DeepEqual(rep.SelfDevice, byName.SelfDevice) {
				t.Errorf("by %s: totals %d, by name %d", by, rep.SelfCPU, byName.SelfCPU)
			}
		}
	})
}
