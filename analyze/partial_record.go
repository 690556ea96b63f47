package analyze

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"reel/event"
	"reel/timeline"
)

// record is what one file says of one rank.
type record struct {
	Names     []string    `json:"names,omitempty"` // file names under which it was read, ascending
	Source    Source      `json:"source"`          // without a path
	Rank      *int        `json:"rank,omitempty"`  // as the file says it
	World     *int        `json:"world_size,omitempty"`
	Process   int64       `json:"process,omitempty"` // whose host ranges they all are; 0 unknown
	Summary   RankSummary `json:"summary"`
	Diagnosis *Diagnosis  `json:"diagnosis,omitempty"`
	Warnings  []fault     `json:"warnings,omitempty"`

	Collectives *CollectiveTimes `json:"collectives,omitempty"`

	hash [sha256.Size]byte // of all but the names
}

// fault is a warning of the file's reader or timeline.
type fault struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Event *int64 `json:"event,omitempty"`
	Count int64  `json:"count"`
}

// maxUnix bounds absolute times, so that differences do not overflow.
const maxUnix = 1 << 62

// processOf is the process of all threads that did something; 0 when they are of several,
// or of none.
func processOf(tl *timeline.Timeline) (pid int64) {
	for i := range tl.Tracks {
		t := &tl.Tracks[i]
		if t.Place != event.Thread || t.Lo == t.Hi || t.Label != "" {
			continue
		}
		if pid != 0 && pid != t.A {
			return 0
		}
		pid = t.A
	}
	return pid
}

func newRecord(tl *timeline.Timeline, s RankSummary, d *Diagnosis) *record {
	r := &record{Source: SourceOf(tl), Summary: s, Diagnosis: d, Collectives: s.Collectives, Process: processOf(tl)}
	if r.Source.Path != "" {
		r.Names = []string{r.Source.Path}
	}
	r.Source.Path = ""
	r.Summary.Rank = 0
	if n := tl.Info.Rank; n != nil && *n >= 0 {
		r.Rank, r.Summary.Rank = n, *n
	}
	if n := tl.Info.WorldSize; n != nil && *n > 0 {
		r.World = n
	}
	r.Summary.complete()
	warnings := slices.Clone(tl.Warnings)
	if first, n := r.repair(); n > 0 {
		warnings = append(warnings, event.Warning{Code: "impossible-value", Event: -1, Count: int64(n),
			Text: fmt.Sprintf("%s and perhaps others cannot be true; taken as 0", first)})
	}
	for _, w := range warnings {
		f := fault{Code: w.Code, Text: w.Text, Count: max(1, w.Count)}
		if w.Event >= 0 {
			f.Event = &w.Event
		}
		r.Warnings = append(r.Warnings, f)
	}
	return r.normal()
}

// repair sets values that cannot be true to 0, on a copy: the caller's summary
// stays as it is. It names the first and counts them.
func (r *record) repair() (first string, n int) {
	s := deepCopy(reflect.ValueOf(r.Summary)).Interface().(RankSummary)
	r.Summary = s
	r.Diagnosis = deepCopy(reflect.ValueOf(r.Diagnosis)).Interface().(*Diagnosis)
	r.Collectives = deepCopy(reflect.ValueOf(r.Collectives)).Interface().(*CollectiveTimes)
	var f impossible
	f.repair(reflect.ValueOf(&r.Source), "source")
	f.repair(reflect.ValueOf(&r.Summary), "summary")
	f.repair(reflect.ValueOf(r.Diagnosis), "diagnosis")
	f.repair(reflect.ValueOf(r.Collectives), "collectives")
	r.Source.MissingPercent = min(r.Source.MissingPercent, 100)
	if u := s.StartUnix; u != nil && (*u > maxUnix || *u < -maxUnix) {
		r.Summary.StartUnix = nil
		f.note("summary.start_unix_ns")
	}
	return f.first, f.n
}

// normal returns r as it would come back from a file, with its hash: names that
// are no UTF-8, for one, differ.
func (r *record) normal() *record {
	var c record
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil { // cannot be: repair took out what JSON has no word for
		c = *r
	}
	c.sum()
	return &c
}

// complete fills what every summary has.
func (s *RankSummary) complete() {
	if s.Timing == "" {
		s.Timing = HostTimed
	}
	if s.Requests == nil {
		s.Requests = []RequestInfo{}
	}
	if s.Stages == nil {
		s.Stages = []StageInfo{}
	}
	if s.Steps == nil {
		s.Steps = []StepInfo{}
	}
}

// sum puts the warnings in order and sets the hash.
func (r *record) sum() {
	slices.SortStableFunc(r.Warnings, compareFaults)
	bare := *r
	bare.Names = nil
	text, _ := json.Marshal(&bare) // cannot fail, see normal
	r.hash = sha256.Sum256(text)
}

// compareRecords orders records: by rank, those without one last, then host,
// start and content. Equal records have equal content.
func compareRecords(a, b *record) int {
	return cmp.Or(
		compareOpt(a.Rank, b.Rank),
		cmp.Compare(a.Summary.Host, b.Summary.Host),
		compareOpt(a.Summary.StartUnix, b.Summary.StartUnix),
		bytes.Compare(a.hash[:], b.hash[:]))
}

// compareOpt orders what may be absent, absent last.
func compareOpt[T cmp.Ordered](a, b *T) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*a, *b)
}

// compareFaults orders warnings by their place in the file, those without one last.
func compareFaults(a, b fault) int {
	return cmp.Or(compareOpt(a.Event, b.Event), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
}

// warning turns f back into what it was made from.
func (f fault) warning() event.Warning {
	w := event.Warning{Code: f.Code, Text: f.Text, Event: -1, Count: f.Count}
	if f.Event != nil {
		w.Event = *f.Event
	}
	return w
}
