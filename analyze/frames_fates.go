package analyze

import (
	"cmp"
	"slices"

	"reel/timeline"
)

// count gives each step the frames that it made. A mark may stand for one frame,
// with the size of its chunk as its value, or for a chunk: then its value, where
// there is one, tells how many. Marks of FlashDreams stand for chunks and tell
// nothing.
func (s *frameScan) count() {
	type chunk struct {
		marks int
		size  int64
	}
	chunks := map[frameKey]*chunk{}
	for _, m := range s.made {
		c := chunks[m.key]
		if c == nil {
			c = &chunk{}
			chunks[m.key] = c
		}
		c.marks++
		c.size = max(c.size, m.value)
	}
	shown := map[frameKey]int{}
	for _, m := range s.shown {
		shown[m.key]++
	}
	s.counted = len(chunks) > 0
	for i := range s.steps {
		st := &s.steps[i]
		c := chunks[st.key]
		if c == nil {
			continue
		}
		st.output = true
		st.made = c.marks
		if c.marks == 1 && c.size > 1 {
			st.made = int(min(c.size, 1<<30))
		}
		if shown[st.key] > st.made { // the mark was of a chunk
			s.counted = false
		}
	}
}

// fates says what became of the frames made.
func (s *frameScan) fates(r *FrameReport) {
	if n, ok := s.repeated(); ok {
		r.Repeated = &n
	}
	if !s.counted {
		return
	}
	shown := map[frameKey]int{}
	var last frameKey
	for _, m := range s.shown {
		shown[m.key]++
		if last.before(m.key) || !last.known {
			last = m.key
		}
	}
	made, dropped, waiting := 0, 0, 0
	for _, st := range s.steps {
		made += st.made
		switch left := max(0, st.made-shown[st.key]); {
		case st.key.before(last):
			dropped += left
		default:
			waiting += left
		}
	}
	r.Generated = &made
	if s.unlabelled == 0 {
		r.Dropped, r.Waiting = &dropped, &waiting
	}
}

// repeated counts turns of the UI loop, between the first and the last frame,
// that presented none: the screen showed the frame before again.
func (s *frameScan) repeated() (n int, ok bool) {
	if len(s.ui) == 0 || len(s.shown) == 0 {
		return 0, false
	}
	first, last := s.shown[0].at, s.shown[len(s.shown)-1].at
	for _, r := range s.ui {
		from, to := s.tl.Ranges.Start[r], s.tl.Ranges.End(r)
		if from > first && to < last && len(s.marksIn(s.shown, from, to+1)) == 0 {
			n++
		}
	}
	return n, true
}

func (s *frameScan) intervals() []int64 {
	var gaps []int64
	for i := 1; i < len(s.shown); i++ {
		gaps = append(gaps, s.shown[i].at-s.shown[i-1].at)
	}
	return gaps
}

// lowRate is the rate over the longest 1 % of the intervals, at least one.
func lowRate(gaps []int64) *float64 {
	if len(gaps) == 0 {
		return nil
	}
	sorted := slices.Clone(gaps)
	slices.SortFunc(sorted, func(a, b int64) int { return cmp.Compare(b, a) })
	var sum int64
	n := (len(sorted) + 99) / 100
	for _, g := range sorted[:n] {
		sum += g
	}
	return rate(n, sum)
}

// rate is n things in ns, per second; nil when it cannot be said.
func rate(n int, ns int64) *float64 {
	if n <= 0 || ns <= 0 {
		return nil
	}
	v := float64(n) * 1e9 / float64(ns)
	return &v
}

func (s *frameScan) rates(r *FrameReport) {
	if n := len(s.shown); n > 1 {
		r.Rates.Present = rate(n-1, s.shown[n-1].at-s.shown[0].at)
	}
	r.Rates.EndToEnd = rate(len(s.shown), s.tl.End-s.tl.Origin)
	if len(s.steps) == 0 || len(s.made) == 0 {
		return
	}
	span := s.made[len(s.made)-1].at - s.steps[0].start
	if r.Generated != nil {
		r.Rates.Model = rate(*r.Generated, span)
	}
	r.Rates.Generate = rate(s.generated, span)
}

// inputWait is a batch of input: its arrival, the step that consumed it and the
// frame that showed it.
type inputWait struct {
	id    timeline.RangeID
	step  int // position in steps; -1 when none consumed it
	shown int // position in shown of the step's first frame; -1 when none was
}

// follow finds what became of each batch. A step consumes what arrived before it
// began; a step without output hands it on to the next one. The wait ends at the
// first frame of that step; where a later step was shown first, or none, the
// batch was not shown.
func (s *frameScan) follow() []inputWait {
	first := map[frameKey]int{}
	for i, m := range s.shown {
		if _, there := first[m.key]; !there && m.key.known {
			first[m.key] = i
		}
	}
	next := s.outputs()
	var out []inputWait
	for _, id := range s.waits {
		w := inputWait{id: id, step: -1, shown: -1}
		arrived, ended := s.tl.Ranges.Start[id], s.tl.Ranges.End(id)
		i, _ := slices.BinarySearchFunc(s.steps, arrived, func(st modelStep, t int64) int { return cmp.Compare(st.start, t) })
		if i = next[i]; i < len(s.steps) && s.steps[i].start <= ended {
			w.step = i
			if k, ok := first[s.steps[i].key]; ok && !s.overtaken(k, ended) {
				w.shown = k
			}
		}
		out = append(out, w)
	}
	return out
}

// outputs gives, for each step and for the place behind the last one, the first step
// from there on that made frames; every step did where no mark tells.
func (s *frameScan) outputs() []int {
	next := make([]int, len(s.steps)+1)
	next[len(s.steps)] = len(s.steps)
	for i := len(s.steps) - 1; i >= 0; i-- {
		next[i] = next[i+1]
		if s.steps[i].output || len(s.made) == 0 {
			next[i] = i
		}
	}
	return next
}

// overtaken reports whether a wait ended before the frame was shown: its batch was
// dropped. The mark and the end of the wait lie a moment apart.
func (s *frameScan) overtaken(shown int, ended int64) bool {
	const moment = 1e6
	return ended < s.shown[shown].at-moment
}

// inputs measures the batches that were shown.
func (s *frameScan) inputs() *FrameInput {
	if len(s.waits) == 0 {
		return nil
	}
	in := &FrameInput{Batches: len(s.waits)}
	var total, queue, step, present []int64
	for _, w := range s.follow() {
		if w.shown < 0 {
			in.Unshown++
			continue
		}
		in.Shown++
		arrived, at, st := s.tl.Ranges.Start[w.id], s.shown[w.shown].at, s.steps[w.step]
		total = append(total, at-arrived)
		queue = append(queue, st.start-arrived)
		step = append(step, st.end-st.start)
		present = append(present, at-st.end)
	}
	in.Total, in.Queue, in.Step, in.Present = distOf(total), distOf(queue), distOf(step), distOf(present)
	return in
}
