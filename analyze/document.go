package analyze

import (
	"encoding/json"
	"io"
	"strings"

	"reel/event"
	"reel/timeline"
)

// DocumentSchema names the JSON of a Document.
const DocumentSchema = "reel.summary/1"

// Document is what `reel summary --json` prints: one run's ranks, with what was
// read and what is wrong. It is made by Finalize and by nothing else, so that
// one machine and a cluster give the same bytes. Sources[i] is the file of
// Ranks[i]. Lists that are empty are [], everything else that is absent is left out.
type Document struct {
	Schema    string        `json:"schema"`
	WorldSize *int          `json:"world_size,omitempty"` // as the files say it
	Sources   []Source      `json:"sources"`
	Ranks     []RankSummary `json:"ranks"`
	Totals    *Totals       `json:"totals,omitempty"` // of several ranks
	Clock     *Clock        `json:"clock,omitempty"`  // of several ranks
	Skew      *Skew         `json:"skew,omitempty"`   // of several ranks
	Waits     *Waits        `json:"waits,omitempty"`  // of several ranks that communicate
	Findings  []Finding     `json:"findings"`
	Warnings  []string      `json:"warnings"`

	verdicts map[string]*verdict // by finding: what the ranks say; see Doctor
	limits   Limits              // for what is looked for in all ranks together
}

// Source is what is known of a file. Path is the file's own name, without its
// folder: a summary says what was measured, not where the file lay, and is the
// same wherever it was made.
type Source struct {
	Path           string  `json:"path,omitempty"`
	Format         string  `json:"format"`
	Bytes          int64   `json:"bytes,omitempty"` // as stored
	Events         int64   `json:"events"`
	Complete       bool    `json:"complete"`        // it ended where its format says it ends
	MissingPercent float64 `json:"missing_percent"` // share of its text that could not be read as events
}

// Finding is a fault that an analysis names.
type Finding struct {
	ID       string         `json:"id"` // stable word: "gpu-idle"
	Severity Severity       `json:"severity"`
	Title    string         `json:"title"`
	Cost     *int64         `json:"cost_ns,omitempty"` // at most this could be saved, ns
	Where    *Where         `json:"where,omitempty"`
	Evidence map[string]any `json:"evidence,omitempty"` // numbers from the trace
	Remedy   string         `json:"remedy,omitempty"`
}

// Severity says how much a finding matters.
type Severity string

// The severities.
const (
	SeverityInfo  Severity = "info"
	SeverityWarn  Severity = "warn"
	SeverityError Severity = "error"
)

// Where says what a finding is about; what it is not about is absent.
type Where struct {
	Rank  *int   `json:"rank,omitempty"`
	Stage string `json:"stage,omitempty"`
	Step  *int   `json:"step,omitempty"`
	Call  string `json:"call,omitempty"` // Python call: "pipeline_flux.py(912): __call__"
}

// Clock places the ranks on one time line: by the absolute times in their files, and
// more exactly by the ends of the collectives in which they met.
type Clock struct {
	Start   int64        `json:"start_unix_ns"` // of the earliest event of all ranks
	Spread  int64        `json:"spread_ns"`     // from the first rank's first event to the last one's
	Offsets []RankOffset `json:"offsets"`       // of ranks with absolute times, in the order of the ranks
	// Error is how far apart the ranks' clocks may still be, ns: the largest of the
	// ranks' errors. Absent where too few collectives tell.
	Error *int64 `json:"error_ns,omitempty"`
}

// RankOffset is where a rank's time 0 lies after Clock.Start, ns.
type RankOffset struct {
	Rank   int   `json:"rank"`
	Offset int64 `json:"offset_ns"`
	// Correction is to be added to Offset: by so much do the rank's collectives end
	// before those of the others. 0 where they scatter too much to tell, or by less than a
	// microsecond. Error is the median distance that remains. Both are absent where fewer
	// than three collectives tell.
	Correction *int64 `json:"correction_ns,omitempty"`
	Error      *int64 `json:"error_ns,omitempty"`
}

// Encode writes the document as one line of JSON.
func (d *Document) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

// SourceOf describes the file of a timeline.
func SourceOf(tl *timeline.Timeline) Source {
	i := &tl.Info
	return Source{baseName(i.Path), i.Format, i.Bytes, i.Events, i.Complete, i.MissingPercent}
}

// baseName cuts the folder off a path of any system.
func baseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// warningText is how a document says a warning of a file: with its place.
func warningText(s Source, w event.Warning) string {
	place := s.Format
	if s.Path != "" {
		place += ": " + s.Path
	}
	return place + ": " + w.String()
}
