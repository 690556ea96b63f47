package analyze

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"reel/event"
	"reel/timeline"
)

// Span is a derived range: something that analysis recognised among the host
// ranges of one track.
type Span struct {
	Range    timeline.RangeID // the range it stands on; for several, the first
	Track    timeline.TrackID
	Start    int64 // ns
	End      int64 // ns
	Name     string
	Stage    string // of stages: encode, decode, …
	Evidence Evidence
	Request  int  // index of its request
	WarmUp   bool // of requests: the producer called it a warm-up
	Loop     int  // of steps
	Index    int  // of steps within their loop, of requests in the run
}

// Dur is the span's length, ns of host time.
func (s Span) Dur() int64 { return s.End - s.Start }

// Derived is what the host ranges mean. The lists are ordered by start.
type Derived struct {
	Requests []Span
	Stages   []Span
	Steps    []Span

	Forwards   []Span // calls of the denoiser: a step may hold several
	Schedulers []Span // steps of the scheduler

	stepOf []int32 // of steps found by repetition: each activity's step, from 1
}

// Derive recognises requests, stages and steps: by what producers said, then by
// known names, nn.Module calls, Python calls, and last by repetition.
func Derive(tl *timeline.Timeline, roles *Roles) *Derived {
	c := collect(tl, roles)
	d := &Derived{}
	d.Forwards, d.Schedulers = c.forwards(), c.scheduler
	d.Steps = c.steps(d.Forwards)
	d.Stages = c.stages(d.Steps)
	if len(d.Steps) == 0 {
		repetition(tl, d)
	}
	d.Requests = c.requests(d)
	c.assign(d)
	return d
}

// candidates are the ranges that some rule or producer names.
type candidates struct {
	tl        *timeline.Timeline
	list      []candidate        // by track and start
	whole     []Span             // requests, when something names them
	warm      []timeline.RangeID // warm-up requests, ascending
	scheduler []Span
	resets    []Span // starts of loops
}

type candidate struct {
	r     timeline.RangeID
	role  event.Role
	stage string
	ev    Evidence
	weak  bool
	needs bool // only in a run with steps
}

var evidenceOf = map[string]Evidence{"annotation": ByAnnotation, "module": ByModule, "call": ByCall}

func collect(tl *timeline.Timeline, roles *Roles) *candidates {
	c := &candidates{tl: tl}
	m := newMatcher(tl, roles)
	for i := range tl.Ranges.Start {
		r := timeline.RangeID(i)
		if role := tl.Ranges.Role[r]; role != event.NoRole {
			if role == event.WarmUp { // a request that is not one of the user's
				c.warm, role = append(c.warm, r), event.Request
			}
			c.list = append(c.list, candidate{r, role, stageName(tl.Name(tl.Ranges.Name[r])), ByRange, false, false})
		} else if rule := m.rule(r); rule != nil {
			c.list = append(c.list, candidate{r, rule.role, rule.Stage, evidenceOf[rule.On], rule.Weak, rule.Needs != ""})
		}
	}
	c.whole = c.pick(func(x candidate) bool { return x.role == event.Request })
	c.scheduler = c.pick(func(x candidate) bool { return x.role == event.Scheduler })
	c.resets = c.pick(func(x candidate) bool { return x.role == event.Loop })
	return c
}

// stageName takes the stage out of a producer's range name: pipeline.encode.
func stageName(name string) string {
	if k := strings.LastIndexByte(name, '.'); k >= 0 {
		return name[k+1:]
	}
	return name
}

// evidenceOrder is the order in which evidence is believed, weak rules last.
var evidenceOrder = []struct {
	ev   Evidence
	weak bool
}{{ByRange, false}, {ByAnnotation, false}, {ByModule, false}, {ByCall, false}, {ByModule, true}, {ByAnnotation, true}, {ByCall, true}}

// pick returns the outermost candidates that want accepts, from the best sort
// of evidence that has any.
func (c *candidates) pick(want func(candidate) bool) []Span {
	for _, o := range evidenceOrder {
		var out []Span
		last, inner := timeline.NoRange, timeline.NoRange
		for _, x := range c.list {
			if x.ev != o.ev || x.weak != o.weak || !want(x) {
				continue
			}
			if last != timeline.NoRange && c.lies(x.r, last, inner) {
				inner = x.r
				continue
			}
			last, inner = x.r, x.r
			out = append(out, c.span(x))
		}
		if len(out) > 0 {
			slices.SortStableFunc(out, byStart)
			return out
		}
	}
	return nil
}

// lies says that r lies within last, in which inner is known to lie: deep nests are
// not walked anew for each range.
func (c *candidates) lies(r, last, inner timeline.RangeID) bool {
	for ; r > last && r != inner; r = c.tl.Ranges.Parent[r] {
	}
	return r == last || r == inner
}

func byStart(a, b Span) int { return int(min(1, max(-1, a.Start-b.Start))) }

func (c *candidates) span(x candidate) Span {
	r := &c.tl.Ranges
	name := strings.TrimPrefix(c.tl.Name(r.Name[x.r]), "nn.Module: ")
	return Span{Range: x.r, Track: c.tl.RangeTrack(x.r), Start: r.Start[x.r], End: r.End(x.r), Name: name, Stage: x.stage, Evidence: x.ev}
}

// stages returns the stages that lie in no step and in no other stage.
func (c *candidates) stages(steps []Span) []Span {
	names := map[string]bool{}
	for _, x := range c.list {
		if x.role == event.Stage {
			names[x.stage] = true
		}
	}
	var out []Span
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if name == "diffuse" && len(steps) > 0 {
			continue // its steps say more
		}
		out = append(out, c.pick(func(x candidate) bool {
			return x.role == event.Stage && x.stage == name && (!x.needs || len(steps) > 0)
		})...)
	}
	slices.SortStableFunc(out, func(a, b Span) int {
		if a.Start != b.Start {
			return byStart(a, b)
		}
		return int(min(1, max(-1, b.End-a.End)))
	})
	inSteps, inStages := byTrack{}, byTrack{}
	for _, st := range steps {
		inSteps.add(st)
	}
	var kept []Span
	for _, s := range out {
		if !inSteps.holds(s) && !inStages.holds(s) {
			kept = append(kept, s)
			inStages.add(s)
		}
	}
	return kept
}

// byTrack holds spans by their track, each list by start.
type byTrack map[timeline.TrackID][]Span

func (b byTrack) add(s Span) { b[s.Track] = append(b[s.Track], s) }

// lookBack bounds how many earlier spans are compared: those of one track do not
// overlap, so the one that could hold another is among the last few.
const lookBack = 64

// holds reports whether s lies inside one of the spans of its track.
func (b byTrack) holds(s Span) bool {
	spans := b[s.Track]
	for i, n := startedBefore(spans, s.Start+1)-1, 0; i >= 0 && n < lookBack; i, n = i-1, n+1 {
		if s.End <= spans[i].End {
			return true
		}
	}
	return false
}

// startedBefore returns how many of spans, sorted by start, start before t.
func startedBefore(spans []Span, t int64) int {
	k, _ := slices.BinarySearchFunc(spans, t, func(s Span, t int64) int { return int(min(1, max(-1, s.Start-t))) })
	return k
}

// requests returns the requests: producers' or known ranges, else Python calls,
// else what reaches from the first stage or step to the last.
func (c *candidates) requests(d *Derived) []Span {
	out := slices.Clone(c.whole)
	parts := append(slices.Clone(d.Stages), d.Steps...)
	if len(out) == 0 && len(parts) > 0 {
		slices.SortStableFunc(parts, byStart)
		whole := parts[0]
		whole.Name, whole.Stage = "", ""
		for _, p := range parts {
			whole.End = max(whole.End, p.End)
		}
		out = []Span{whole}
	}
	for i := range out {
		out[i].Index = i
		_, out[i].WarmUp = slices.BinarySearch(c.warm, out[i].Range)
	}
	return out
}

// assign gives each stage and step its request, and each step its loop.
func (c *candidates) assign(d *Derived) {
	for i := range d.Stages {
		d.Stages[i].Request = requestOf(d.Requests, d.Stages[i])
	}
	loop, index, mark := 0, 0, 0
	for i := range d.Steps {
		s := &d.Steps[i]
		s.Request = requestOf(d.Requests, *s)
		if i == 0 && s.Evidence == ByRange { // a window may begin in the middle of a loop
			index = numberOf(s.Name)
		} else if i > 0 {
			prev := &d.Steps[i-1]
			switch {
			case prev.Request != s.Request:
				loop, index = 0, 0
			case c.between(prev.End, s.Start, d.Stages, &mark):
				loop, index = loop+1, 0
			}
		}
		s.Loop, s.Index = loop, index
		index++
	}
}

// numberOf is the number at the end of a step's name, as in "denoise[5]"; 0 without.
func numberOf(name string) int {
	at := strings.LastIndexByte(name, '[')
	if at < 0 || !strings.HasSuffix(name, "]") {
		return 0
	}
	n, err := strconv.ParseUint(name[at+1:len(name)-1], 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// between says that a loop was begun, or a stage run, from one instant to
// another: the next step then belongs to another loop.
func (c *candidates) between(from, to int64, stages []Span, mark *int) bool {
	for ; *mark < len(stages) && stages[*mark].Start < from; *mark++ {
	}
	if *mark < len(stages) && stages[*mark].Start < to {
		return true
	}
	k := startedBefore(c.resets, from)
	return k < len(c.resets) && c.resets[k].Start < to
}

// requestOf returns the last request that began before s, or with it.
func requestOf(requests []Span, s Span) int {
	return max(0, startedBefore(requests, s.Start+1)-1)
}

// StepOf returns which of Steps activity i belongs to, when repetition found the
// steps; then the launches' times do not tell. ok is false otherwise.
func (d *Derived) StepOf(i int) (step int, ok bool) {
	if d.stepOf == nil || d.stepOf[i] == 0 {
		return 0, false
	}
	return int(d.stepOf[i]) - 1, true
}
