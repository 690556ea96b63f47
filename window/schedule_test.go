package window

import (
	"strings"
	"testing"
)

// phases writes a schedule's first n iterations: . off, w warming, R recording, | done.
func phases(s Schedule, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(".wR|"[s.Phase(i)])
	}
	return b.String()
}

func TestSchedule(t *testing.T) {
	for _, c := range vectors(t).Schedule {
		if got := phases(c.Schedule, 12); got != c.Want {
			t.Errorf("%+v: %s, want %s", c.Schedule, got, c.Want)
		}
	}
}

// TestScheduleExact: max records exactly max, whatever the rest; done is for good.
func TestScheduleExact(t *testing.T) {
	for code := range 4 * 4 * 4 * 4 * 4 * 4 {
		d := func(k int) int { return code >> (2 * k) & 3 }
		s := Schedule{Delay: d(0), Wait: d(1), Warmup: d(2), Active: d(3), Repeat: d(4), Max: d(5)}
		if s.Check() != nil {
			continue
		}
		p := phases(s, 200)
		recorded := strings.Count(p, "R")
		if s.Max > 0 && recorded > s.Max {
			t.Errorf("%+v records %d", s, recorded)
		}
		if whole := s.Active * s.Repeat; s.Max > 0 && (s.Active == 0 || s.Repeat == 0 || whole >= s.Max) && recorded != s.Max {
			t.Errorf("%+v records %d, want exactly %d", s, recorded, s.Max)
		}
		if k := strings.IndexByte(p, '|'); k >= 0 && strings.Trim(p[k:], "|") != "" {
			t.Errorf("%+v goes on after it was done: %s", s, p)
		}
		if s.Delay > 0 && strings.Trim(p[:s.Delay], ".") != "" {
			t.Errorf("%+v does not wait: %s", s, p)
		}
	}
}

func TestScheduleCheck(t *testing.T) {
	for _, s := range []Schedule{{Delay: -1}, {Active: -1}, {Max: maxStep + 1}, {Repeat: 2}} {
		if s.Check() == nil {
			t.Errorf("%+v passes", s)
		}
	}
}
