package event

import (
	"fmt"
	"strings"
)

// Warning is a fault of the input that did not stop the reading: bad input is
// data. Equal faults are counted together and the first place is kept.
type Warning struct {
	Code  string // stable word for machines: "negative-duration"
	Text  string // what is wrong, without the place: "dur is negative"
	Event int64  // number of the first event concerned, from 0; -1 when no event is
	Count int64  // how often
}

// String returns "event 4711: dur is negative (3 times)".
func (w Warning) String() string {
	var b strings.Builder
	if w.Event >= 0 {
		fmt.Fprintf(&b, "event %d: ", w.Event)
	}
	b.WriteString(w.Text)
	if w.Count > 1 {
		fmt.Fprintf(&b, " (%d times)", w.Count)
	}
	return b.String()
}

// Warnings gathers warnings by code and text, keeping the first place of each.
type Warnings struct{ list []Warning }

// Add counts w.
func (ws *Warnings) Add(w Warning) {
	if w.Count == 0 {
		w.Count = 1
	}
	for i := range ws.list {
		if l := &ws.list[i]; l.Code == w.Code && l.Text == w.Text {
			l.Count += w.Count
			if w.Event >= 0 && (l.Event < 0 || w.Event < l.Event) {
				l.Event = w.Event
			}
			return
		}
	}
	ws.list = append(ws.list, w)
}

// List returns the warnings in the order of their first appearance.
func (ws *Warnings) List() []Warning { return ws.list }
