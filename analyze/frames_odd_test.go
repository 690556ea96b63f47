package analyze

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"reel/event"
	"reel/timeline"
)

func framesOf(t testing.TB, text string) *timeline.Timeline {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// TestFramesOdd: timelines that no session writes. Nothing panics, and what cannot be
// known is absent.
func TestFramesOdd(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // shown, steps, resets, batches shown of all
	}{
		"marks out of order": {`track ui "ui"
mark frame "present.frame [step 2]" at 30ms
mark frame "present.frame [step 0]" at 10ms
mark frame "present.frame [step 1]" at 20ms
track model "model"
range step "model.step[0]" at 1ms for 5ms
range step "model.step[1]" at 11ms for 5ms
range step "model.step[2]" at 21ms for 5ms
`, "3 3 0 0/0"},
		"generations left out": {`track ui "ui"
mark frame "present.frame [gen 7, step 0]" at 10ms
mark frame "present.frame [step 0]" at 5ms
track model "model"
range step "model.step[0]" at 1ms for 2ms
mark frame "model.frame [step 0]" at 3ms
range step "model.step[0]" at 6ms for 2ms
mark frame "model.frame [gen 7, step 0]" at 8ms
`, "2 2 1 0/0"},
		"two marks at one instant": {`track ui "ui"
mark frame "present.frame [step 0]" at 5ms
mark frame "present.frame [step 0]" at 5ms
`, "2 0 0 0/0"},
		"a wait without an end": {`track in "input"
range "input.wait" at 1ms for 100ms
track ui "ui"
mark frame "present.frame [step 9]" at 50ms
track model "model"
range step "model.step[9]" at 2ms for 2ms
`, "1 1 0 1/1"},
		"steps that made nothing": {`track in "input"
range "input.wait" at 1ms for 100ms
track ui "ui"
mark frame "present.frame [step 1]" at 101ms
track model "model"
range step "model.step[0]" at 2ms for 2ms
range step "model.step[1]" at 5ms for 2ms
mark frame "model.frame [step 1]" at 8ms
`, "1 2 0 1/1"},
	} {
		tl := framesOf(t, c.text)
		r := Frames(tl, FrameOptions{List: true})
		batches, shown := 0, 0
		if r.Latency != nil {
			batches, shown = r.Latency.Batches, r.Latency.Shown
		}
		if got := fmt.Sprintf("%d %d %d %d/%d", r.Shown, r.Steps, r.Resets, shown, batches); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		for i := 1; i < len(r.Frames); i++ {
			if *r.Frames[i].Interval < 0 {
				t.Errorf("%s: frame %d came before the one before", name, i)
			}
		}
		for i := range r.Shown {
			if _, err := FollowFrame(tl, i); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// idleSteps is a session of n steps that made nothing, one that did, and n waits for
// it: what is quadratic shows here.
func idleSteps(t testing.TB, n int) *timeline.Timeline {
	var b strings.Builder
	b.WriteString("track model \"model\"\n")
	for i := range n {
		fmt.Fprintf(&b, "range step \"model.step[%d]\" at %dus for 1us\n", i, 10*i+5)
	}
	fmt.Fprintf(&b, "mark frame \"model.frame [step %d]\" at %dus\n", n-1, 10*n)
	for i := range n {
		fmt.Fprintf(&b, "track in%d \"input\"\nrange \"input.wait\" at %dus for %dus\n", i, 3+i%3, 10*n)
	}
	fmt.Fprintf(&b, "track ui \"ui\"\nmark frame \"present.frame [step %d]\" at %dus\n", n-1, 10*n+2)
	return framesOf(t, b.String())
}

// TestFramesIdleSteps: waits over steps without frames find the one that has some.
func TestFramesIdleSteps(t *testing.T) {
	if r := Frames(idleSteps(t, 500), FrameOptions{}); r.Latency.Shown != 500 {
		t.Errorf("%+v", r.Latency)
	}
}

// BenchmarkFrames: a session of many frames, and one of many waits over many steps.
func BenchmarkFrames(b *testing.B) {
	b.Run("idle steps", func(b *testing.B) {
		tl := idleSteps(b, 20_000)
		for b.Loop() {
			Frames(tl, FrameOptions{})
		}
	})
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tl := framesOf(b, manyFrames(n))
			for b.Loop() {
				Frames(tl, FrameOptions{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/frame")
		})
	}
}

// manyFrames is n frames of chunks of 8.
func manyFrames(n int) string {
	var b strings.Builder
	b.WriteString("track model \"model\"\n")
	for s := range n / 8 {
		fmt.Fprintf(&b, "range step \"model.step[%d]\" at %dms for 200ms\n", s, 266*s)
		for range 8 {
			fmt.Fprintf(&b, "mark frame \"model.frame [step %d]\" at %dms\n", s, 266*s+201)
		}
	}
	b.WriteString("track ui \"ui\"\n")
	for f := range n {
		fmt.Fprintf(&b, "range \"ui.step\" at %dms for 1ms\nmark frame \"present.frame [step %d]\" at %dms\n", 300+33*f, f/8, 300+33*f)
	}
	return b.String()
}
