package reelfile

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"reel/event"
)

// span is an interval by the system clock that surely lies within, or around, one of
// the monotonic clock: each reading of that is framed by two of the counter, so that
// it does not matter where the program is stopped.
func span(c *Clock, wait time.Duration) (within, around, took int64) {
	a0 := c.Now()
	m0 := monotonic()
	a1 := c.Now()
	time.Sleep(wait)
	b0 := c.Now()
	m1 := monotonic()
	b1 := c.Now()
	return c.Nanos(b0 - a1), c.Nanos(b1 - a0), m1 - m0
}

// TestClockDrift sets the system clock against the monotonic one over a while.
func TestClockDrift(t *testing.T) {
	c := SystemClock()
	if c.tsc && !usableTSC() {
		t.Error("the counter is the clock although it is not fit for that")
	}
	// The rate was measured within a share that measureTSC bounds, by brackets that
	// may have been wide all the time on a machine that is never quiet.
	const share = 100
	within, around, took := span(c, 200*time.Millisecond)
	if within-within/share > took || around+around/share < took {
		t.Errorf("%d to %d ns by the clock, %d ns by the monotonic one, at %d ticks per second", within, around, took, c.TicksPerSecond())
	}
	var last uint64
	for range 1000 {
		if now := c.Now(); now < last {
			t.Fatal("the clock went backwards")
		} else {
			last = now
		}
	}
}

// TestRate works out rates from two instants, and how wrong they may be.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		from, to  instant
		hz        uint64
		uncertain float64
	}{
		{instant{1000, 200, 0}, instant{1000 + 5e6, 300, 2e6}, 2.5e9, 5e-5},
		{instant{1000, 200, 5}, instant{2000, 300, 5}, 0, 1},   // time stands still
		{instant{2000, 200, 5}, instant{1000, 300, 9}, 0, 1},   // a counter that was set
		{instant{0, 0, 5}, instant{1 << 63, 300, 6}, 0, 1},     // beyond any rate
		{instant{0, 5e6, 0}, instant{5e6, 5e6, 2e6}, 2.5e9, 1}, // stopped at both ends
		{instant{0, 5e6, 0}, instant{5e6, 0, 2e6}, 2.5e9, 0.5}, // at one
	} {
		if hz, u := rateOf(c.from, c.to); hz != c.hz || u < c.uncertain*0.999 || u > c.uncertain*1.001 {
			t.Errorf("%+v to %+v: %d, %v, want %d, %v", c.from, c.to, hz, u, c.hz, c.uncertain)
		}
	}
}

// TestClockByFile writes marks by the system clock and checks that the reader,
// by the file's samples, sets them where the system's own clocks were.
func TestClockByFile(t *testing.T) {
	w := create(t, Options{})
	tr := w.Track(event.Track{Place: event.Thread}, "main")
	d := Of(Mark, w.Intern("m"))
	var from, to []int64 // a busy machine may stop the program between the two
	for range 8 {
		from = append(from, realtime())
		tr.Mark(d, 0, w.Clock().Now())
		to = append(to, realtime())
		time.Sleep(30 * time.Millisecond)
	}
	events, info := closed(t, w)
	for i, e := range events[1:] {
		if at := *info.Base + e.Start; at < from[i]-1e6 || at > to[i]+1e6 {
			t.Errorf("mark %d is at %d, not in %d to %d", i, at, from[i], to[i])
		}
	}
	if len(info.Warnings) > 0 {
		t.Error(info.Warnings)
	}
}

func TestNanosecondClock(t *testing.T) {
	c := NanosecondClock()
	before := monotonic()
	now := int64(c.Now())
	if after := monotonic(); now < before-1e6 || now > after+1e6 || c.Nanos(77) != 77 || c.TicksPerSecond() != 1e9 {
		t.Errorf("%d, not within %d to %d", now, before, after)
	}
	if now := (&Clock{tsc: true, hz: 3e9}).Nanos(1 << 63); now != 3074457345618258602 {
		t.Errorf("%d", now)
	}
}

// timed builds the header of a recording with the given samples of a counter of
// 2 GHz that starts at 1000, and asks for times.
func timed(t *testing.T, samples []sample, ask []uint64) ([]int64, event.Info) {
	t.Helper()
	h := make([]byte, 4096)
	put := func(i int, v uint64) { binary.LittleEndian.PutUint64(h[8*i:], v) }
	copy(h, magic)
	put(hVersion, pair(version, 4096))
	put(hState, pair(fileClosed, 1))
	put(hNext, 1)
	put(hStart, 1000)
	put(hStart+1, 0)
	put(hStart+2, 5e9)
	put(hClocks, clockTSC)
	put(hClocks+1, 2e9)
	for i, s := range samples {
		put(hRing+4*i, slotDone)
		put(hRing+4*i+1, s.ticks)
		put(hRing+4*i+2, uint64(s.mono))
		put(hRing+4*i+3, uint64(s.real))
	}
	s, err := New(bytes.NewReader(h), 4096, "f")
	if err != nil {
		t.Fatal(err)
	}
	var out []int64
	for _, a := range ask {
		ns, ok := s.times.at(0, a)
		if !ok {
			ns = -1
		}
		out = append(out, ns)
	}
	drain(t, s)
	return out, s.Info()
}

func TestTimes(t *testing.T) {
	const s = int64(1e9)
	for _, c := range []struct {
		name    string
		samples []sample
		ask     []uint64
		want    []int64
		warn    string
	}{
		{"one sample", nil, []uint64{1000, 3000, 0, 1 << 63}, []int64{0, 1000, -500, -1}, ""},
		{"a line", []sample{{1000 + 4e9, s, 6 * s}, {1000 + 12e9, 3 * s, 8 * s}}, []uint64{1000 + 2e9, 1000 + 8e9, 1000 + 16e9}, []int64{s / 2, 2 * s, 4 * s}, ""},
		{"near samples", []sample{{1100, 1, 5*s + 1}, {1000 + 4e9, 2 * s, 7 * s}}, []uint64{1000 + 2e9}, []int64{s}, ""},
		{"wall clock set", []sample{{1000 + 2e9, s, 6 * s}, {1000 + 4e9, 2 * s, 17 * s}}, []uint64{1000 + 3e9}, []int64{3 * s / 2}, "clock-jump:1"},
		{"counter reset", []sample{{1000 + 2e9, s, 6 * s}, {5, 2 * s, 7 * s}}, []uint64{1000 + 1e9}, []int64{s / 2}, "clock-reset:1"},
		{"drift", []sample{{1000 + 2e9, s, 6 * s}, {1000 + 4e9 + 4e6, 2 * s, 7 * s}}, []uint64{1000 + 1e9}, []int64{s / 2}, "clock-drift:2"},
	} {
		got, info := timed(t, c.samples, c.ask)
		for i := range c.want {
			if got[i] != c.want[i] {
				t.Errorf("%s: %d is at %d, want %d", c.name, c.ask[i], got[i], c.want[i])
			}
		}
		if warnings(info) != c.warn {
			t.Errorf("%s: %v", c.name, info.Warnings)
		}
	}
	_, info := timed(t, []sample{{1000 + 2e9, s, 6 * s}, {1000 + 4e9, 2 * s, 17 * s}}, nil)
	if text := info.Warnings[0].Text; !strings.Contains(text, "jumped by 10.0 s") {
		t.Error(text)
	}
}

// TestDeviceClock records by a device's clock of another rate and origin.
func TestDeviceClock(t *testing.T) {
	w := create(t, Options{Clock: NanosecondClock()})
	id, ok := w.AddClock("gpu 0", 1e6)
	if !ok {
		t.Fatal("no room for a clock")
	}
	w.Sample(id, 500, uint64(w.start.mono)+1000)
	tr := w.TrackOn(event.Track{Place: event.Stream, A: 0, B: 7}, "stream 7", id)
	tr.Write(Of(Activity, w.Intern("k")).With(Link), 12, 510, 5)
	for range maxClocks {
		_, ok = w.AddClock("more", 0)
	}
	if ok {
		t.Error("more clocks than a recording holds")
	}
	events, info := closed(t, w)
	e := events[1]
	if off := e.Start - 11000; off < -1 || off > 1 || e.Dur != 5000 || e.Link != 12 || len(info.Warnings) > 0 {
		t.Errorf("%+v %v", e, info.Warnings)
	}
}
