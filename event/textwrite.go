package event

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// WriteText writes src in the text form that ParseText reads: events in their
// order, then the info lines. What comes back from ParseText is the same, save
// for warnings, sizes, arguments that are not JSON (they become strings), and
// floats that are no number (they become null).
func WriteText(w io.Writer, src Source) error {
	tw := textWriter{Writer: bufio.NewWriter(w)}
	var b Batch
	for {
		err := src.Next(&b)
		for i := range b.Len() {
			if err := tw.event(b.Event(i)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	tw.info(src.Info())
	return tw.Flush()
}

type textWriter struct {
	*bufio.Writer
	track Track
}

// event writes one event and, where the track changes, a track line.
func (w *textWriter) event(e Event) error {
	if int(e.Kind) >= len(kindWords) || kindWords[e.Kind] == "" || e.Class >= numClasses || e.Role >= numRoles {
		return fmt.Errorf("event %q: %v %v %v has no text form", e.Name, e.Kind, e.Class, e.Role)
	}
	if name, ok := trackName(e); ok {
		w.track = e.Track
		fmt.Fprintf(w, "track %s %s\n", trackText(e.Track), strconv.Quote(name))
		return nil
	}
	if e.Track != w.track {
		w.track = e.Track
		fmt.Fprintf(w, "track %s\n", trackText(e.Track))
	}
	w.WriteString(kindWords[e.Kind])
	if e.Class == NoClass && defaultClass[e.Kind] != NoClass {
		w.WriteString(" " + noClassWord)
	} else if e.Class != defaultClass[e.Kind] || e.Kind == Activity {
		w.WriteString(" " + e.Class.String())
	}
	if e.Role != NoRole {
		w.WriteString(" " + e.Role.String())
	}
	w.WriteString(" " + strconv.Quote(e.Name))
	w.clauses(e)
	return w.WriteByte('\n')
}

// trackName returns the name that a Meta event gives its track.
func trackName(e Event) (string, bool) {
	plain := Event{Kind: Meta, Track: e.Track, Name: threadName}
	if len(e.Args) != 1 || e.Args[0].Kind != ArgText || e.Args[0].Key != "name" {
		return "", false
	}
	name := e.Args[0].Text
	e.Args = nil
	return name, e.Kind == plain.Kind && e.Class == plain.Class && e.Role == plain.Role && e.Name == plain.Name &&
		e.Start == 0 && e.Dur == 0 && e.Link == 0 && e.Op == 0 && e.Value == 0
}

func (w *textWriter) clauses(e Event) {
	if e.Kind != Meta || e.Start != 0 {
		w.WriteString(" at " + timeText(e.Start))
	}
	if e.Dur != 0 || e.Kind == Range || e.Kind == Activity {
		w.WriteString(" for " + timeText(e.Dur))
	}
	for _, c := range []struct {
		word string
		v    int64
	}{{"cause", e.Link}, {"id", e.Op}, {"value", e.Value}} {
		if c.v != 0 {
			w.WriteString(" " + c.word + " " + strconv.FormatInt(c.v, 10))
		}
	}
	if len(e.Args) > 0 {
		w.WriteString(" args {")
		for i, a := range e.Args {
			if i > 0 {
				w.WriteString(", ")
			}
			w.WriteString(jsonText(a.Key) + ": " + argText(a))
		}
		w.WriteByte('}')
	}
}

// info writes the info lines.
func (w *textWriter) info(i Info) {
	if i.Rank != nil {
		fmt.Fprintf(w, "info rank %d\n", *i.Rank)
	}
	if i.WorldSize != nil {
		fmt.Fprintf(w, "info world %d\n", *i.WorldSize)
	}
	if i.Base != nil {
		fmt.Fprintf(w, "info base %s\n", timeText(*i.Base))
	}
	if i.Host != "" {
		fmt.Fprintf(w, "info host %s\n", strconv.Quote(i.Host))
	}
	fmt.Fprintf(w, "info producer %s\n", strconv.Quote(i.Producer))
	for _, d := range i.Devices {
		fmt.Fprintf(w, "info device %d %s", d.ID, strconv.Quote(d.Name))
		if d.Memory != 0 {
			fmt.Fprintf(w, " memory %d", d.Memory)
		}
		w.WriteByte('\n')
	}
	for _, k := range slices.Sorted(maps.Keys(i.Props)) {
		fmt.Fprintf(w, "info prop %s %s\n", strconv.Quote(k), strconv.Quote(i.Props[k]))
	}
	if !i.Complete {
		fmt.Fprintf(w, "info missing %s\n", strconv.FormatFloat(i.MissingPercent, 'g', -1, 64))
	}
	for _, f := range []struct {
		on   bool
		word string
	}{{i.Stacks, "stacks"}, {i.Shapes, "shapes"}, {i.Memory, "memory"}} {
		if f.on {
			fmt.Fprintf(w, "info %s\n", f.word)
		}
	}
}
