package window

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// tape records what a gate does between the steps of a program.
type tape struct {
	b      strings.Builder
	open   bool
	closed []Window
	fault  error
	fails  func() bool
}

func (p *tape) Open(w Window) error {
	if p.fails != nil && p.fails() {
		return errors.New("no collector")
	}
	if p.open {
		p.fault = fmt.Errorf("%v opens while another is open", w)
	}
	p.open = true
	p.b.WriteString("(")
	return nil
}

func (p *tape) Close(w Window) error {
	if !p.open {
		p.fault = fmt.Errorf("%v closes twice", w)
	}
	p.open = false
	p.closed = append(p.closed, w)
	p.b.WriteString(")")
	if p.fails != nil && p.fails() {
		return errors.New("disk full")
	}
	return nil
}

func (p *tape) Discard(w Window) { p.b.WriteString("x") }

// run plays a program on a gate, one letter an event: [ ] request, w warm-up
// request, { } loop run to its end, ! loop left early, digits nothing, s step,
// h half a step, d decode, p work. The tape shows them with the openings.
func run(spec, program string, loops int) (string, *Gate, *tape) {
	s, err := Parse("TEST", spec)
	if err != nil {
		return err.Error(), nil, nil
	}
	p := &tape{}
	g := NewGate(s, p)
	for _, c := range program {
		play(g, p, c, loops)
	}
	return p.b.String(), g, p
}

func play(g *Gate, p *tape, c rune, loops int) {
	switch c {
	case '[':
		g.BeginRequest(false, loops)
	case 'w':
		g.BeginRequest(true, loops)
	case ']':
		g.EndRequest()
	case '{':
		g.BeginLoop()
	case '}':
		g.EndLoop(true)
	case '!':
		g.EndLoop(false)
	case 's':
		g.BeginStep()
		p.b.WriteRune('s')
		g.EndStep()
	case 'h':
		g.BeginStep()
		p.b.WriteRune('h')
	case 'd':
		g.BeginDecode()
		p.b.WriteRune('d')
		g.EndDecode()
	case 'p':
		p.b.WriteRune('p')
	}
}

func TestGate(t *testing.T) {
	for _, c := range vectors(t).Gate {
		got, _, p := run(c.Spec, c.Program, c.Loops)
		if got != c.Want || p.fault != nil {
			t.Errorf("%s on %s: %s, want %s; %v", c.Spec, c.Program, got, c.Want, p.fault)
		}
	}
}

func TestReport(t *testing.T) {
	for _, c := range vectors(t).Report {
		_, g, _ := run(c.Spec, c.Program, 0)
		if got, _ := g.Report(); fmt.Sprint(got) != c.Want {
			t.Errorf("%s on %s: %v, want %s", c.Spec, c.Program, got, c.Want)
		}
	}
}

// TestGateAlways plays random programs, well formed or not, with a recorder
// that fails at random: windows close exactly once and in order, none survives
// its request or, for steps, its loop, and faults reach the report alone.
func TestGateAlways(t *testing.T) {
	specs := []string{"", "all", "predenoise", "postdenoise", "decode", "0-4", "1", "0,2", "0-1,3-8", "loop1:0-3", "last:0-2", "last:1,loop0:0"}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		spec, err := Parse("TEST", specs[r.IntN(len(specs))])
		if err != nil {
			t.Fatal(err)
		}
		p := &tape{fails: func() bool { return r.IntN(10) == 0 }}
		g := NewGate(spec, p)
		var program []rune
		inside := false
		for range 60 {
			c := []rune("[]w{}!sssshdp")[r.IntN(13)]
			program = append(program, c)
			inside = (inside || c == '[' || c == 'w') && c != ']'
			before := p.open
			play(g, p, c, r.IntN(3))
			w, open := g.Open()
			switch {
			case p.fault != nil:
				t.Fatalf("%s on %s: %v", spec, string(program), p.fault)
			case open != p.open:
				t.Fatalf("%s on %s: gate open %v, recorder %v", spec, string(program), open, p.open)
			case open && !inside, open && w.Mode == Steps && (c == '}' || c == '!'):
				t.Fatalf("%s on %s: %v stays open", spec, string(program), w)
			case before && (c == ']') && p.open:
				t.Fatalf("%s on %s: the request left it open", spec, string(program))
			}
		}
		for _, w := range p.closed {
			if w.Mode == Steps && (w.To < w.From || w.From < w.Range.From || w.To > w.Range.To) {
				t.Fatalf("%s on %s: closed %+v", spec, string(program), w)
			}
		}
	}
}
