package chrome

import (
	"fmt"

	"reel/analyze"
	"reel/timeline"
)

// A step is recognised by what is around it: that it repeats, or that a
// scheduler's call parts it from the next. A cut may leave that out.

// marks writes ranges that say which steps and stages a cut holds, where Reel
// would not recognise them in it again: on their own thread, with their role.
func (c *copier) marks(r analyze.Rank) {
	if c.opt.Roles == nil || r.Derived == nil || c.own {
		return
	}
	again := analyze.Derive(c.cut.timeline, c.opt.Roles)
	steps := c.cut.whole(r.Derived.Steps)
	if missing(steps, again.Steps) {
		for _, s := range steps {
			c.mark("step", "step "+itoa(int64(s.Index)), s, r.TL)
		}
	}
	stages := map[string][]analyze.Span{}
	var names []string
	for _, s := range c.cut.whole(r.Derived.Stages) {
		if stages[s.Stage] == nil {
			names = append(names, s.Stage)
		}
		stages[s.Stage] = append(stages[s.Stage], s)
	}
	for _, name := range names {
		if missing(stages[name], again.Stages) {
			for _, s := range stages[name] {
				c.mark("stage", "reel."+name, s, r.TL)
			}
		}
	}
}

// whole returns the spans that lie in a window with all they have.
func (c *cut) whole(list []analyze.Span) (kept []analyze.Span) {
	for _, s := range list {
		for _, w := range c.sel.Windows() {
			if w.From <= s.Start && s.End <= w.To {
				kept = append(kept, s)
			}
		}
	}
	return kept
}

// missing reports whether any span is not among others.
func missing(want, have []analyze.Span) bool {
	type key struct {
		start, end int64
		stage      string
	}
	known := map[key]bool{}
	for _, s := range have {
		known[key{s.Start, s.End, s.Stage}] = true
	}
	for _, s := range want {
		if !known[key{s.Start, s.End, s.Stage}] {
			return true
		}
	}
	return false
}

// mark writes one such range.
func (c *copier) mark(role, name string, s analyze.Span, tl *timeline.Timeline) {
	if s.Track == timeline.NoTrack {
		c.st.Notes = append(c.st.Notes, fmt.Sprintf("%s was found on the device alone and will not be recognised in the cut", name))
		return
	}
	at := c.row(tl.Tracks[s.Track].Track)
	c.next().raw(`{"ph": "X", "cat": "user_annotation,`).raw(role).raw(`", "name": `).str(name).
		raw(`, "pid": `).raw(at.pid).raw(`, "tid": `).raw(at.tid).raw(`, "ts": `).micros(s.Start + c.shift).
		raw(`, "dur": `).micros(s.Dur()).raw(`, "args": {"found by": "Reel", "evidence": `).str(string(s.Evidence)).raw("}}")
}
