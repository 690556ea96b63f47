package report

import (
	"io"
	"slices"
	"strings"

	"reel/analyze"
	"reel/internal/display"
	"reel/unit"
)

// CheckDocument is what `reel check --json` prints, reel.check/1.
type CheckDocument struct {
	Schema string        `json:"schema"`
	Files  []CheckedFile `json:"files"`
}

// CheckedFile is a file's report, or why there is none.
type CheckedFile struct {
	*analyze.CheckReport
	Schema string `json:"schema,omitempty"` // the document says it
	// Error says why a file could not be read; the report then holds its name and
	// the verdict "unreadable".
	Error string `json:"error,omitempty"`
}

// NotReadable is the verdict on a file that gave no timeline.
const NotReadable analyze.Verdict = "unreadable"

// Unreadable is the entry of a file that could not be read.
func Unreadable(name string, err error) CheckedFile {
	return CheckedFile{Error: err.Error(), CheckReport: &analyze.CheckReport{Source: analyze.Source{Path: name}, Verdict: NotReadable,
		Reasons: []string{}, Classes: []analyze.ClassCount{}, Warnings: []analyze.CheckWarning{}, Notes: []string{}}}
}

// Unreadable counts the files that could not be read.
func (d *CheckDocument) Unreadable() (n int) {
	for _, f := range d.Files {
		if f.Verdict == NotReadable {
			n++
		}
	}
	return n
}

// Check writes the reports on files: the verdict on each, and what it rests on.
// The error is that of w.
func Check(w io.Writer, d *CheckDocument, o Options) error {
	p := &page{Options: o}
	for _, f := range d.Files {
		if p.Len() > 0 && !brief(f) {
			p.gap()
		}
		p.checked(f)
	}
	if len(d.Files) > 1 {
		p.gap()
		p.verdicts(d)
	}
	_, err := w.Write(p.Bytes())
	return err
}

// brief tells that a file needs its verdict line only.
func brief(f CheckedFile) bool { return f.Verdict == NotReadable }

func (p *page) checked(f CheckedFile) {
	p.title(append([]string{f.Source.Path + ": " + string(f.Verdict)}, p.sizeText(f)...)...)
	if f.Error != "" {
		p.styledNote(yellow, margin+"! ", f.Error)
		return
	}
	for _, r := range f.Reasons {
		if !slices.ContainsFunc(f.Warnings, func(w analyze.CheckWarning) bool { return strings.HasPrefix(r, w.Text) }) {
			p.note(margin, r) // the others stand below, with their place
		}
	}
	p.holds(f)
	for _, w := range f.Warnings {
		p.styledNote(yellow, margin+"! ", warningLine(w))
	}
	for _, n := range f.Notes {
		p.note(margin, n)
	}
}

func (p *page) sizeText(f CheckedFile) []string {
	if f.Error != "" {
		return nil
	}
	parts := []string{f.Source.Format, unit.Bytes(f.Source.Bytes).String(), unit.Count(f.Source.Events).String() + " events"}
	switch {
	case f.Source.Complete && f.Source.MissingPercent == 0:
		parts = append(parts, "complete")
	case f.Source.MissingPercent > 0:
		parts = append(parts, unit.Percent(f.Source.MissingPercent).String()+" of the text missing")
	}
	return parts
}

// holds says what is in the file.
func (p *page) holds(f CheckedFile) {
	var parts []string
	for _, c := range f.Classes {
		parts = append(parts, unit.Count(c.Count).String()+nbsp+c.Class)
	}
	if len(parts) > 0 {
		p.note(margin, "holds "+strings.Join(parts, ", "))
	}
	if l, a := f.Launches, f.Activities; l.Calls+a.Count+a.Unsound > 0 {
		p.note(margin, count(l.Calls, "launch", "launches")+", "+unit.Count(l.WithoutActivity).String()+" without an activity; "+
			count(a.Count, "activity", "activities")+", "+unit.Count(a.WithoutLaunch).String()+" without a launch")
	}
	p.irregular("overlaps on a stream", f.Overlaps)
	p.irregular("activities before their launch", f.Early)
	p.irregular("ranges across the end of another", f.Crossings)
}

// irregular names the worst case of one kind of irregularity.
func (p *page) irregular(what string, i analyze.Irregular) {
	if i.Count == 0 {
		return
	}
	text := what + ": " + unit.Count(i.Count).String() + ", worst " + dur(i.Worst)
	if at := i.WorstAt; at != nil {
		text += " (" + display.Shorten(display.Clean(ShortName(at.Name)), 48) + " on " + at.Track + " at " + dur(at.Start) + ")"
	}
	p.note(margin, text)
}

// warningLine is "event 4711: dur is negative (3 times)".
func warningLine(w analyze.CheckWarning) string {
	s := w.Text
	if w.Event != nil {
		s = "event " + unit.Count(*w.Event).String() + ": " + s
	}
	if w.Count > 1 {
		s += " (" + unit.Count(w.Count).String() + " times)"
	}
	return s
}

// verdicts counts the verdicts on many files.
func (p *page) verdicts(d *CheckDocument) {
	var parts []string
	for _, v := range []analyze.Verdict{analyze.Sound, analyze.Repaired, analyze.Damaged, analyze.Cut, analyze.Empty, NotReadable} {
		n := 0
		for _, f := range d.Files {
			if f.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, unit.Count(n).String()+" "+string(v))
		}
	}
	p.note("", count(len(d.Files), "file", "files")+": "+strings.Join(parts, ", "))
}
