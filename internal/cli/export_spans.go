package cli

import (
	"fmt"
	"slices"
	"strings"

	"reel/analyze"
	"reel/internal/walk"
	"reel/timeline"
	"reel/unit"
)

// fileWord makes a name fit for a file's.
func fileWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, s)
}

// spans returns the steps or stages of a rank that the flags name: those of one
// request.
func (f *cutFlags) spans(r analyze.Rank) ([]analyze.Span, error) {
	var found []analyze.Span
	what := fmt.Sprintf("stage %q", f.stage)
	switch {
	case f.step != "":
		what = fmt.Sprintf("step %d of loop %d", f.index, f.loop)
		found = only(r.Derived.Steps, func(s analyze.Span) bool { return s.Loop == f.loop && s.Index == f.index })
	case f.stage == "diffuse" && len(r.Derived.Steps) > 0:
		found = r.Derived.Steps
	default:
		found = only(r.Derived.Stages, func(s analyze.Span) bool { return s.Stage == f.stage })
	}
	request := f.request
	if request < 0 && len(found) > 0 {
		request = slices.MinFunc(found, func(a, b analyze.Span) int { return a.Request - b.Request }).Request
	}
	if found = only(found, func(s analyze.Span) bool { return s.Request == request }); len(found) == 0 {
		return nil, misusef("no %s in %s; %s", what, r.Path, f.known(r))
	}
	return found, nil
}

func only(list []analyze.Span, want func(analyze.Span) bool) (out []analyze.Span) {
	for _, s := range list {
		if want(s) {
			out = append(out, s)
		}
	}
	return out
}

// known says what a rank has.
func (f *cutFlags) known(r analyze.Rank) string {
	requests := fmt.Sprintf("%d requests", len(r.Derived.Requests))
	if len(r.Derived.Requests) == 1 {
		requests = "one request"
	}
	if f.step != "" {
		return fmt.Sprintf("it has %d steps in %s", len(r.Derived.Steps), requests)
	}
	names := map[string]bool{}
	var list []string
	for _, s := range r.Derived.Stages {
		if !names[s.Stage] {
			names[s.Stage], list = true, append(list, s.Stage)
		}
	}
	if len(r.Derived.Steps) > 0 {
		list = append(list, "diffuse")
	}
	if len(list) == 0 {
		return "Reel found no stages in it"
	}
	return "it has " + strings.Join(list, ", ") + " in " + requests
}

// timed returns the windows of times since the trace began: since the first event
// of all ranks, on their common clock; where there is none, of each rank.
func (j *exportJob) timed(w [2]*unit.Dur) (parts []timeline.Selection) {
	clock := walk.NewClock(j.ranks)
	for i, r := range j.ranks {
		from := r.TL.Origin
		if clock.Unix {
			from = clock.Start - clock.Offset[i]
		}
		win := timeline.Window{From: from, To: max(r.TL.End, from) + 1}
		if w[0] != nil {
			win.From = from + int64(*w[0])
		}
		if w[1] != nil {
			win.To = from + int64(*w[1])
		}
		parts = append(parts, timeline.Select(win).Running())
	}
	return parts
}
