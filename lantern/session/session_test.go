package session

import (
	"context"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reel/rec"
)

// teller is a profiler that writes down what it is told, in milliseconds of the
// test's virtual time.
type teller struct {
	rec.Noop
	mu    sync.Mutex
	start time.Time
	lines []string
}

func (p *teller) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, fmt.Sprintf("%4d ", time.Since(p.start).Milliseconds())+fmt.Sprintf(format, args...))
}

type told struct {
	p    *teller
	name string
}

func (e *told) End() { e.p.say("end %s", e.name) }

func (p *teller) Range(ctx context.Context, name string) rec.Range {
	return p.RangeAs(ctx, rec.Label{Name: name})
}

func (p *teller) RangeAs(ctx context.Context, l rec.Label) rec.Range {
	name := l.Name
	if l.Indexed {
		name = fmt.Sprintf("%s[%d]", name, l.Index)
	}
	p.say("begin %s on %s", name, rec.TrackOf(ctx).Name())
	return rec.RangeOf(&told{p, name})
}

func (p *teller) Event(ctx context.Context, name string, count int, step rec.StepID) {
	p.say("%s x%d on %s", step.Label(name), count, rec.TrackOf(ctx).Name())
}
func (p *teller) InputReceived(at rec.Time, n int) { p.say("received %d x%d", at/1e6, n) }
func (p *teller) InputConsumed(step rec.StepID, at []rec.Time, started rec.Time) {
	p.say("consumed %s %v started %d", step.Label(""), millis(at), started/1e6)
}
func (p *teller) InputDropped(at []rec.Time)     { p.say("dropped %v", millis(at)) }
func (p *teller) StepPresented(step rec.StepID)  { p.say("presented%s", step.Label("")) }
func (p *teller) ResetCounts()                   { p.say("reset") }
func (p *teller) CollectFPS() map[string]float64 { p.say("collect fps"); return nil }
func (p *teller) CollectInputLatencyMS() map[string]float64 {
	p.say("collect latency")
	return nil
}

func millis(at []rec.Time) (ms []int64) {
	for _, t := range at {
		ms = append(ms, int64(t/1e6))
	}
	return ms
}

// only keeps the lines that hold one of the words.
func (p *teller) only(words ...string) string {
	var b strings.Builder
	for _, l := range p.lines {
		for _, w := range words {
			if strings.Contains(l, w) {
				b.WriteString(l + "\n")
				break
			}
		}
	}
	return b.String()
}

// stepTime is no multiple of the UI loop's periods: nothing happens at one instant.
const stepTime = 101 * time.Millisecond

// script is an app whose model step takes stepTime and makes two frames, or none at
// the steps named, and which gets inputs and resets at set times.
type script struct {
	buffers map[int]bool // by the count of steps over the whole session
	at      map[int]func(*Session)
	fail    int // the step that fails; 0 for none
	count   int
	own     rec.Profiler
}

func (a *script) Init(ctx context.Context, s *Session) error {
	if a.own != nil {
		if err := s.SetProfiler(a.own); err != nil {
			return err
		}
	}
	s.Model(func(ctx context.Context, st Step) (Result, error) {
		time.Sleep(stepTime)
		n := a.count
		a.count++
		switch {
		case a.fail > 0 && n == a.fail:
			return Result{}, errors.New("the model broke")
		case a.buffers[n]:
			return Result{}, nil
		}
		f := image.NewRGBA(image.Rect(0, 0, 2, 2))
		return Result{Frames: []*image.RGBA{f, f}, Metrics: map[string]float64{"mem_peak_gib": 1}}, nil
	})
	for ms, do := range a.at {
		go func() {
			time.Sleep(time.Duration(ms) * time.Millisecond)
			do(s)
		}()
	}
	return nil
}

// play runs a script in virtual time.
func play(t *testing.T, a *script, o Options, also ...rec.Profiler) (p *teller, r Report, err error) {
	synctest.Test(t, func(t *testing.T) {
		p = &teller{start: time.Now()}
		o.Clock = func() rec.Time { return rec.Time(time.Since(p.start)) }
		if o.Profiler == nil {
			o.Profiler = rec.Composite(append([]rec.Profiler{p}, also...)...)
		}
		o.Log = slog.New(slog.DiscardHandler)
		r, err = Run(t.Context(), a, o)
	})
	return p, r, err
}

func press(keys ...string) func(*Session) { return func(s *Session) { s.Input(keys...) } }

func want(t *testing.T, got, want string) {
	t.Helper()
	want = strings.ReplaceAll(strings.TrimPrefix(want, "\n"), "\t", "")
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestOrder pins the order of ranges, marks and calls of one step.
func TestOrder(t *testing.T) {
	p, r, err := play(t, &script{}, Options{Steps: 1, FrameRate: 20, Stats: rec.NewStatsFile("host")})
	if err != nil {
		t.Fatal(err)
	}
	want(t, p.only("model", "collect", "consumed", "reset"), `
	   0 begin model.pace on model thread
	   0 end model.pace
	   0 begin model.step[0] on model thread
	 101 end model.step[0]
	 101 model.frame [step 0] x2 on model thread
	 101 collect fps
	 101 collect latency
	 101 begin model.publish on model thread
	 101 end model.publish
	 250 collect fps
	 250 collect latency
	 250 reset
	`)
	if r.Steps != 1 || r.Made != 2 || r.Shown != 2 || r.Dropped != 0 || r.Ended != Done {
		t.Errorf("%+v", r)
	}
}

// TestUI pins the turns of the UI loop: a range, the mark of the frame that was
// selected with its step, the event behind the range.
func TestUI(t *testing.T) {
	p, r, err := play(t, &script{}, Options{Steps: 1, FrameRate: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.only("ui.step", "present"); !strings.Contains(got, "begin ui.step on ui thread\n 200 present.frame [step 0] x1 on ui thread\n 200 presented [step 0]\n 200 end ui.step\n 200 ui.step x1 on ui thread\n") {
		t.Errorf("%s", got)
	}
	if r.Shown != 2 {
		t.Errorf("%+v", r)
	}
}

// TestWaits: a step consumes what arrived before it began; a step without frames
// carries it on; each wait is answered once.
func TestWaits(t *testing.T) {
	p, _, err := play(t, &script{buffers: map[int]bool{1: true}, at: map[int]func(*Session){
		20: press("left"), 50: press("up", "up"), 120: press("right")}}, Options{Steps: 3, FrameRate: 20})
	if err != nil {
		t.Fatal(err)
	}
	// Step 0 began before any input. Step 1 took those of 20 and 50 and buffered,
	// step 2 took that of 120 and made frames: both are consumed with it.
	want(t, p.only("received", "consumed", "dropped"), `
	  20 received 20 x1
	  50 received 50 x2
	 120 received 120 x1
	 303 consumed  [step 2] [20 50] started 101
	 303 consumed  [step 2] [120] started 202
	`)
}

// TestReset: what was made and not shown is gone, its inputs are dropped, the step
// number begins anew and the generation grows.
func TestReset(t *testing.T) {
	p, r, err := play(t, &script{at: map[int]func(*Session){
		110: press("left"), 310: (*Session).Reset}}, Options{Steps: 5, FrameRate: 1, Queue: 8})
	if err != nil {
		t.Fatal(err)
	}
	got := p.only("received", "consumed", "dropped", "begin model.step", "presented")
	for _, line := range []string{" 303 consumed  [step 2] [110] started 202", " 404 dropped [110]", " 404 begin model.step[0]"} {
		if !strings.Contains(got, line) {
			t.Errorf("missing %q in\n%s", line, got)
		}
	}
	if !strings.Contains(got, "presented [gen 1, step 0]") || strings.Contains(got, "presented [step") {
		t.Errorf("%s", got)
	}
	if r.Generations != 2 || r.Dropped != 8 {
		t.Errorf("%+v", r)
	}
}

// TestLatest: the newest chunk replaces those that wait; the model never waits.
func TestLatest(t *testing.T) {
	p, r, err := play(t, &script{}, Options{Steps: 10, FrameRate: 4, Latest: true})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(p.only("end model.publish"), "1050") || r.Dropped < 10 || r.Made != 20 {
		t.Errorf("%+v\n%s", r, p.only("publish", "present.frame"))
	}
	last := ""
	for _, l := range p.lines {
		if strings.Contains(l, "end model.publish") {
			last = l
		}
	}
	if !strings.HasPrefix(last, "1010") {
		t.Errorf("the model waited: %s", last)
	}
}

// TestBackPressure: the model waits for room, nothing is dropped.
func TestBackPressure(t *testing.T) {
	_, r, err := play(t, &script{}, Options{Steps: 6, FrameRate: 5})
	if err != nil || r.Shown != 12 || r.Dropped != 0 {
		t.Errorf("%+v %v", r, err)
	}
}

// TestPace: the step rate is held by model.pace, and a late step does not hurry
// those behind it.
func TestPace(t *testing.T) {
	p, _, err := play(t, &script{}, Options{Steps: 3, StepRate: 4, FrameRate: 100})
	if err != nil {
		t.Fatal(err)
	}
	want(t, p.only("pace", "begin model.step"), `
	   0 begin model.pace on model thread
	   0 end model.pace
	   0 begin model.step[0] on model thread
	 101 begin model.pace on model thread
	 250 end model.pace
	 250 begin model.step[1] on model thread
	 351 begin model.pace on model thread
	 500 end model.pace
	 500 begin model.step[2] on model thread
	`)
	p, _, _ = play(t, &script{}, Options{Steps: 3, StepRate: 40, FrameRate: 100})
	if got := p.only("begin model.step"); !strings.Contains(got, " 202 begin model.step[2]") {
		t.Error(got)
	}
}

// TestTimeout: init counts, the step under way finishes, its frames are kept, and
// it is no error.
func TestTimeout(t *testing.T) {
	p, r, err := play(t, &script{}, Options{Timeout: 250 * time.Millisecond, FrameRate: 100})
	if err != nil || r.Ended != TimedOut || r.Steps != 3 || r.Made != 6 {
		t.Errorf("%+v %v", r, err)
	}
	if got := p.only("model.frame"); !strings.Contains(got, " 303 model.frame [step 2]") {
		t.Error(got)
	}
}

// TestFailure: an error of a loop ends the session and is returned; the counts
// stand.
func TestFailure(t *testing.T) {
	p, r, err := play(t, &script{fail: 2}, Options{FrameRate: 100})
	if err == nil || !strings.Contains(err.Error(), "the model broke") || r.Ended != Failed || r.Steps != 2 {
		t.Errorf("%+v %v", r, err)
	}
	if got := p.only("reset"); strings.Count(got, "reset") != 1 {
		t.Error(got)
	}
}

// TestOwnProfiler: the app's profiler is what the loops have; setting it later is
// refused.
func TestOwnProfiler(t *testing.T) {
	var mine teller
	mine.start = time.Now()
	p, _, err := play(t, &script{own: &mine}, Options{Steps: 1, FrameRate: 100})
	if err != nil || len(mine.lines) == 0 || len(p.lines) > 0 {
		t.Errorf("%v: %d lines, the runner's has %v", err, len(mine.lines), p.lines)
	}
	s := newSession(t.Context(), Options{})
	s.UI(nil)
	if s.SetProfiler(&mine) == nil {
		t.Error("the profiler could be set behind a loop")
	}
}

// TestInputsOverflow: batches that no step takes in time make room, and their waits
// end; a batch is told of before a step can take it.
func TestInputsOverflow(t *testing.T) {
	var in inputs
	told := 0
	for i := range maxPending + 2 {
		lost := in.add(0, []string{"left"}, func(rec.Time) {
			told++
			if len(in.pending) > min(i, maxPending) {
				t.Fatal("the batch can be taken before it is told of")
			}
		})
		if want := i >= maxPending; (len(lost) == 1) != want || want && lost[0] != rec.Time(i-maxPending+1) {
			t.Fatalf("batch %d: lost %v", i, lost)
		}
	}
	if told != maxPending+2 || len(in.take()) != maxPending {
		t.Error(told)
	}
}
