package analyze

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"reel/timeline"
)

// frameKey is the step of an interactive session: its number, which begins anew
// with each generation.
type frameKey struct {
	gen, step int
	known     bool
}

// before orders steps in time.
func (k frameKey) before(o frameKey) bool {
	return k.known && o.known && (k.gen < o.gen || k.gen == o.gen && k.step < o.step)
}

// parseStepLabel reads "present.frame [step 5]" and "… [gen 2, step 5]".
func parseStepLabel(name string) (base string, k frameKey) {
	open := strings.LastIndex(name, " [")
	if open < 0 || !strings.HasSuffix(name, "]") {
		return name, k
	}
	label := name[open+2 : len(name)-1]
	if g, rest, ok := strings.Cut(label, ", "); ok {
		gen, ok := strings.CutPrefix(g, "gen ")
		n, err := strconv.Atoi(gen)
		if !ok || err != nil || n < 0 {
			return name, k
		}
		k.gen, label = n, rest
	}
	step, ok := strings.CutPrefix(label, "step ")
	n, err := strconv.Atoi(step)
	if !ok || err != nil || n < 0 {
		return name, frameKey{}
	}
	k.step, k.known = n, true
	return name[:open], k
}

// parseIndex reads "model.step[12]".
func parseIndex(name, base string) (int, bool) {
	rest, ok := strings.CutPrefix(name, base+"[")
	if !ok || !strings.HasSuffix(rest, "]") {
		return 0, false
	}
	n, err := strconv.Atoi(rest[:len(rest)-1])
	return n, err == nil && n >= 0
}

type frameMark struct {
	at    int64
	key   frameKey
	value int64
}

// modelStep is a step of the model loop.
type modelStep struct {
	key        frameKey
	id         timeline.RangeID
	start, end int64
	made       int  // frames
	output     bool // it made any, as far as marks tell
}

// frameScan is what a timeline says of frames.
type frameScan struct {
	tl         *timeline.Timeline
	shown      []frameMark // present.frame
	made       []frameMark // model.frame
	generated  int         // pipeline.generate
	steps      []modelStep // by start
	ui         []timeline.RangeID
	waits      []timeline.RangeID
	resets     int
	counted    bool // the number of frames made is known
	unlabelled int
}

func scanFrames(tl *timeline.Timeline) *frameScan {
	s := &frameScan{tl: tl}
	s.scanMarks()
	s.scanRanges()
	slices.SortFunc(s.steps, func(a, b modelStep) int { return cmp.Compare(a.start, b.start) })
	s.number()
	s.count()
	return s
}

func (s *frameScan) scanMarks() {
	tl := s.tl
	type parsed struct {
		base string
		key  frameKey
	}
	names := map[timeline.NameID]parsed{}
	for i, id := range tl.Marks.Name {
		p, ok := names[id]
		if !ok {
			p.base, p.key = parseStepLabel(tl.Name(id))
			names[id] = p
		}
		m := frameMark{tl.Marks.At[i], p.key, tl.Marks.Value[i]}
		switch p.base {
		case "present.frame":
			s.shown = append(s.shown, m)
			if !m.key.known {
				s.unlabelled++
			}
		case "model.frame":
			s.made = append(s.made, m)
		case "pipeline.generate":
			s.generated++
		}
	}
}

func (s *frameScan) scanRanges() {
	tl := s.tl
	const none, step, ui, wait = 0, 1, 2, 3
	kinds := map[timeline.NameID]int{}
	for i, id := range tl.Ranges.Name {
		kind, ok := kinds[id]
		if !ok {
			switch name := tl.Name(id); {
			case name == "ui.step":
				kind = ui
			case name == "input.wait":
				kind = wait
			case strings.HasPrefix(name, "model.step["):
				kind = step
			}
			kinds[id] = kind
		}
		r := timeline.RangeID(i)
		switch kind {
		case step:
			if n, ok := parseIndex(tl.Name(id), "model.step"); ok {
				s.steps = append(s.steps, modelStep{key: frameKey{step: n, known: true}, id: r, start: tl.Ranges.Start[i], end: tl.Ranges.End(r)})
			}
		case ui:
			s.ui = append(s.ui, r)
		case wait:
			s.waits = append(s.waits, r)
		}
	}
}

// number gives steps their generation: that of the frames they made, else one
// more whenever the number does not grow.
func (s *frameScan) number() {
	gen := 0
	for i := range s.steps {
		st := &s.steps[i]
		if i > 0 && st.key.step <= s.steps[i-1].key.step {
			gen++
			s.resets++
		}
		until := int64(1<<63 - 1)
		if i+1 < len(s.steps) {
			until = s.steps[i+1].start
		}
		for _, m := range s.marksIn(s.made, st.start, until) {
			if m.key.known && m.key.step == st.key.step {
				gen = max(gen, m.key.gen)
				break
			}
		}
		st.key.gen = gen
	}
}

// marksIn returns the marks of [from, to); marks are by time.
func (s *frameScan) marksIn(marks []frameMark, from, to int64) []frameMark {
	at := func(m frameMark, t int64) int { return cmp.Compare(m.at, t) }
	lo, _ := slices.BinarySearchFunc(marks, from, at)
	hi, _ := slices.BinarySearchFunc(marks, to, at)
	return marks[lo:max(lo, hi)]
}

// stepOf returns the position of the step with a key, of several the last.
func (s *frameScan) stepOf(k frameKey) (int, bool) {
	if k.known {
		for i := len(s.steps) - 1; i >= 0; i-- {
			if s.steps[i].key == k {
				return i, true
			}
		}
	}
	return 0, false
}
