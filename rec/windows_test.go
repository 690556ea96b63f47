package rec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reel/event"
	"reel/window"
)

// checked stands before a Capture, fails at random, and checks that windows open
// and close in turn.
type checked struct {
	*Capture
	rnd    *rand.Rand
	fails  int // one in so many; 0 never
	open   *window.Window
	opened int
	closed int
	fault  string
	failed int
}

func (c *checked) Open(w window.Window) error {
	if c.open != nil {
		c.fault = fmt.Sprintf("%v opens in %v", w, *c.open)
	}
	if c.fails > 0 && c.rnd.IntN(c.fails) == 0 {
		c.failed++
		if c.rnd.IntN(2) == 0 {
			panic("collector")
		}
		return errors.New("no collector")
	}
	c.open = &w
	c.opened++
	return c.Capture.Open(w)
}

func (c *checked) Close(w window.Window) error {
	if c.open == nil || c.open.Request != w.Request || c.open.Loop != w.Loop || c.open.From != w.From {
		c.fault = fmt.Sprintf("%v closes, open is %v", w, c.open)
	}
	c.open = nil
	c.closed++
	err := c.Capture.Close(w)
	if c.fails > 0 && c.rnd.IntN(c.fails) == 0 {
		panic("close")
	}
	return err
}

// play is a random program with windows; it writes marks wherever it is.
type play struct {
	t       *testing.T
	rnd     *rand.Rand
	w       *Worker
	r       *Recorder
	c       *checked
	spec    window.Spec
	n       int
	in      []string // marks that were written while a window was open
	want    []string // marks that the specification asks for
	request int      // of those that are no warm-up
	script  strings.Builder
}

// place is where in a request a mark lies.
type place struct {
	warm            bool
	loop, step      int // -1 between them
	decode, past    bool
	declared, begun int // loops; steps, and loops that ended
}

// wanted says by the words of docs/windows.md whether a place is recorded.
func (p *play) wanted(at place) bool {
	if at.warm {
		return false
	}
	switch p.spec.Mode {
	case window.All:
		return true
	case window.PreDenoise:
		return p.request == 0 && at.begun == 0
	case window.PostDenoise:
		return p.request == 0 && at.past
	case window.Decode:
		return at.decode
	}
	return slices.ContainsFunc(p.spec.Ranges, func(r window.Range) bool {
		return at.step >= r.From && at.step <= r.To &&
			(r.Loop == window.AnyLoop || int(r.Loop) == at.loop || r.Loop == window.LastLoop && at.loop == at.declared-1)
	})
}

func (p *play) mark(ctx context.Context, at place) {
	p.n++
	name := fmt.Sprintf("m%d", p.n)
	if p.c.open != nil {
		p.in = append(p.in, name)
	}
	if p.wanted(at) {
		p.want = append(p.want, name)
	}
	p.r.Mark(ctx, name)
	g := p.r.Range(ctx, "work")
	defer g.End()
}

var errBroken = errors.New("the model failed")

func (p *play) run() {
	warm := p.rnd.IntN(4) == 0
	loops := p.rnd.IntN(4)
	at := place{warm: warm, loop: -1, step: -1, declared: loops}
	fmt.Fprintf(&p.script, "[warm=%v loops=%d ", warm, loops)
	defer func() {
		if x := recover(); x != nil && x != any(errBroken) {
			p.t.Errorf("panic: %v", x)
		}
		if !warm {
			p.request++
		}
		p.script.WriteString("] ")
	}()
	err := p.w.Request(context.Background(), RequestOptions{WarmUp: warm, Loops: loops}, func(ctx context.Context) error {
		p.mark(ctx, at)
		for l := range loops {
			if err := p.loop(ctx, &at, l); err != nil {
				return err
			}
			p.mark(ctx, at)
			if p.rnd.IntN(2) == 0 {
				g := p.w.Stage(ctx, "decode")
				inside := at
				inside.decode = true
				p.mark(ctx, inside)
				g.End()
			}
		}
		p.mark(ctx, at)
		return nil
	})
	if err != nil && err != errBroken {
		p.t.Errorf("a request returned %v", err)
	}
}

// loop runs a loop that ends well, is left, fails or panics.
func (p *play) loop(ctx context.Context, at *place, l int) error {
	steps, how, until := p.rnd.IntN(9), p.rnd.IntN(6), p.rnd.IntN(9)
	fmt.Fprintf(&p.script, "{%d how=%d until=%d} ", steps, how, until)
	defer func() { at.loop, at.step = -1, -1 }()
	body := func(i int) (stop bool, err error) {
		at.loop, at.step = l, i
		at.begun++
		p.mark(ctx, *at)
		if i != until {
			return false, nil
		}
		switch how {
		case 0:
			return true, nil
		case 1:
			return false, errBroken
		case 2:
			panic(errBroken)
		}
		return false, nil
	}
	whole := true
	if p.rnd.IntN(2) == 0 {
		for i := range Steps(ctx, steps) {
			stop, err := body(i)
			if err != nil {
				return err
			}
			if stop {
				whole = false
				break
			}
		}
	} else {
		for i, v := range StepsOf(ctx, slices.Values(make([]float64, steps))) {
			stop, err := body(i)
			if err != nil || v != 0 {
				return err
			}
			if stop {
				whole = false
				break
			}
		}
	}
	at.begun++ // a loop of no steps ends predenoise as well
	at.past = at.past || l == 0 && whole && steps > 0
	return nil
}

// TestWindowsAlways plays random requests, loops, lengths, failures and grammars:
// every window that opens closes exactly once and in order, its file holds what
// the specification says, and nothing else is in any file.
func TestWindowsAlways(t *testing.T) {
	specs := []string{"all", "predenoise", "postdenoise", "decode", "0-4", "1", "0,2", "0-1,2-3", "0-1,3-8", "12", "loop1:0-3", "last:0-2", "loop0:1,last:4-5"}
	seeds := uint64(260)
	if testing.Short() || raceEnabled {
		seeds = 78
	}
	for seed := range seeds {
		playOne(t, specs[seed%uint64(len(specs))], seed)
		if t.Failed() {
			return
		}
	}
}

func playOne(t *testing.T, text string, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	spec, err := window.Parse("TEST", text)
	if err != nil {
		t.Fatal(err)
	}
	r := New(Options{Heap: true, Log: quietLog, MaxBytes: 1 << 20})
	c := &checked{Capture: &Capture{Recorder: r, Name: WindowName(t.TempDir() + "/run.reel")}, rnd: rnd}
	if seed%3 == 0 {
		c.fails = 5
	}
	p := &play{t: t, rnd: rnd, r: r, c: c, spec: spec, w: NewWorker(r, WorkerOptions{Windows: spec, Recorder: c, Log: quietLog})}
	for range 1 + rnd.IntN(4) {
		p.run()
		if c.open != nil || r.On() {
			t.Errorf("seed %d, %s on %s: a window outlives its request", seed, text, p.script.String())
		}
	}
	where := fmt.Sprintf("seed %d, %s on %s", seed, text, p.script.String())
	if c.fault != "" || c.opened != c.closed {
		t.Errorf("%s: %s; %d opened, %d closed", where, c.fault, c.opened, c.closed)
	}
	if c.failed == 0 && !slices.Equal(p.in, p.want) {
		t.Errorf("%s: windows were open at %v, want %v", where, p.in, p.want)
	}
	var got []string
	for _, x := range c.Captured() {
		for _, e := range events(t, x.Path) {
			if e.Kind == event.Mark {
				got = append(got, e.Name)
			}
			if len(e.Args) > 0 && e.Args[0].Key == "unfinished" {
				t.Errorf("%s: %s is unfinished", where, e.Name)
			}
		}
	}
	if !slices.Equal(got, p.in) {
		t.Errorf("%s: files hold %v, want %v", where, got, p.in)
	}
}

// TestLastRefused pins what a gate does with the last loop where nobody says how many
// loops there are: it stays closed, and the reason is in the report once; Reel's own
// recording keeps the last loop all the same.
func TestLastRefused(t *testing.T) {
	spec, _ := window.Parse("TEST", "last:0")
	loops := func(ctx context.Context) error {
		for range 2 {
			for range Steps(ctx, 2) {
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		record, declare bool
		gate            string
		entered         int
	}{
		"the gate alone":          {gate: "", entered: 0},
		"beside a recording":      {record: true, gate: "", entered: 1},
		"the request declares it": {declare: true, gate: "on off", entered: 1},
		"declared, and recorded":  {record: true, declare: true, gate: "on off", entered: 1},
	} {
		outer := &sw{}
		path := ""
		if c.record {
			path = t.TempDir() + "/run.reel"
		}
		r, err := Open(path, Options{Windows: spec, Outer: outer, Heap: true, Log: quietLog})
		if err != nil {
			t.Fatal(err)
		}
		o := RequestOptions{}
		if c.declare {
			o.Loops = 2
		}
		if err := r.Request(context.Background(), o, loops); err != nil {
			t.Fatal(err)
		}
		list, faults := r.Worker().Report()
		want(t, name+": gate", outer.log, c.gate)
		if list[0].Entered != c.entered {
			t.Errorf("%s: %+v", name, list)
		}
		if refused := len(faults) == 1 && errors.Is(faults[0], window.ErrLastUnknown); refused == c.declare || len(faults) > 1 {
			t.Errorf("%s: faults %v", name, faults)
		}
	}
}

// TestEmitterBesideWindows pins that a window ends the recording's request and loop
// and leaves those of an emitter alone, whose pushes and pops would not fit otherwise.
func TestEmitterBesideWindows(t *testing.T) {
	e := &emitted{}
	w, _, err := fromEnv(t, EnvOptions{NVTX: opens(e)}, map[string]string{EnvNVTX: "1", EnvWindow: "0", EnvRecord: t.TempDir() + "/run.reel"})
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Request(context.Background(), RequestOptions{}, func(ctx context.Context) error {
		defer Stage(ctx, "diffuse").End()
		for range Steps(ctx, 2) {
		}
		return nil
	})
	want(t, "emitted", e.String(), "(request (pipeline.diffuse (denoise.loop (denoise[0] ) (denoise[1] ) ) ) )")
}
