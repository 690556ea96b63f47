package event

import (
	"errors"
	"fmt"
	"strconv"

	"reel/unit"
)

type textParser struct {
	info   Info
	events []Event
	track  Track
}

// line parses one line.
func (p *textParser) line(s string) error {
	t := textLine{s}
	word := t.word()
	switch {
	case word == "" && t.blank():
		return nil
	case word == "track":
		return p.trackLine(&t)
	case word == "info":
		return p.infoLine(&t)
	}
	for k, w := range kindWords {
		if w == word && w != "" {
			return p.eventLine(Kind(k), &t)
		}
	}
	if word == "" {
		word = t.rest
	}
	return fmt.Errorf("unknown word %q: want track, range, gpu, mark, counter, meta, flow or info", word)
}

// trackLine switches the track and names it.
func (p *textParser) trackLine(t *textLine) error {
	track, err := t.track()
	if err != nil {
		return err
	}
	p.track = track
	if t.blank() {
		return nil
	}
	name, err := t.quoted()
	if err != nil {
		return err
	}
	p.events = append(p.events, Event{Kind: Meta, Track: track, Name: threadName,
		Args: []Arg{{Key: "name", Kind: ArgText, Text: name}}})
	return t.end()
}

// eventLine parses what follows the kind.
func (p *textParser) eventLine(k Kind, t *textLine) error {
	e := Event{Kind: k, Class: defaultClass[k], Track: p.track}
	for w := t.word(); w != ""; w = t.word() {
		if c, ok := classOf(w); ok {
			e.Class = c
		} else if r, ok := roleOf(w); ok {
			e.Role = r
		} else {
			return fmt.Errorf("unknown class or role %q", w)
		}
	}
	var err error
	if e.Name, err = t.quoted(); err != nil {
		return err
	}
	timed := k == Meta
	for !t.blank() {
		at, err := t.clause(&e)
		if err != nil {
			return err
		}
		timed = timed || at
	}
	if !timed {
		return errors.New("no time: want at TIME")
	}
	p.events = append(p.events, e)
	return nil
}

func classOf(w string) (Class, bool) {
	for c, name := range classNames {
		if name == w && w != "" {
			return Class(c), true
		}
	}
	return NoClass, w == noClassWord
}

func roleOf(w string) (Role, bool) {
	for r, name := range roleNames {
		if name == w && w != "" {
			return Role(r), true
		}
	}
	return NoRole, false
}

// clause parses one clause of an event; at says that it gave the time.
func (t *textLine) clause(e *Event) (at bool, err error) {
	switch w := t.word(); w {
	case "at":
		e.Start, err = t.time()
		return true, err
	case "for":
		e.Dur, err = t.time()
	case "cause":
		e.Link, err = t.int()
	case "id":
		e.Op, err = t.int()
	case "value":
		e.Value, err = t.int()
	case "args":
		e.Args, err = t.args()
	default:
		return false, fmt.Errorf("unknown clause %q: want at, for, cause, id, value or args", w+t.rest)
	}
	return false, err
}

// infoLine parses what a source says of itself.
func (p *textParser) infoLine(t *textLine) (err error) {
	i := &p.info
	switch w := t.word(); w {
	case "rank", "world":
		n, err := t.int()
		if err != nil {
			return err
		}
		v := int(n)
		if w == "rank" {
			i.Rank = &v
		} else {
			i.WorldSize = &v
		}
	case "base":
		v, err := t.time()
		if err != nil {
			return err
		}
		i.Base = &v
	case "host":
		i.Host, err = t.quoted()
	case "producer":
		i.Producer, err = t.quoted()
	case "device":
		err = t.device(i)
	case "prop":
		err = t.prop(i)
	case "missing":
		err = t.missing(i)
	case "stacks":
		i.Stacks = true
	case "shapes":
		i.Shapes = true
	case "memory":
		i.Memory = true
	default:
		return fmt.Errorf("unknown info %q", w+t.rest)
	}
	if err != nil {
		return err
	}
	return t.end()
}

func (t *textLine) device(i *Info) error {
	id, err := t.int()
	if err != nil {
		return err
	}
	d := Device{ID: id}
	if d.Name, err = t.quoted(); err != nil {
		return err
	}
	if !t.blank() {
		if w := t.word(); w != "memory" {
			return fmt.Errorf("unknown word %q: want memory BYTES", w)
		}
		if d.Memory, err = t.int(); err != nil {
			return err
		}
	}
	i.Devices = append(i.Devices, d)
	return nil
}

func (t *textLine) prop(i *Info) error {
	key, err := t.quoted()
	if err != nil {
		return err
	}
	value, err := t.quoted()
	if err != nil {
		return err
	}
	if i.Props == nil {
		i.Props = map[string]string{}
	}
	i.Props[key] = value
	return nil
}

func (t *textLine) missing(i *Info) error {
	w := t.word()
	v, err := strconv.ParseFloat(w, 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return fmt.Errorf("bad share %q: want a percentage", w)
	}
	i.MissingPercent, i.Complete = v, false
	return nil
}

// time parses a time, exactly.
func (t *textLine) time() (int64, error) {
	d, err := unit.ParseDur(t.word())
	return int64(d), err
}

func (t *textLine) int() (int64, error) {
	w := t.word()
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("bad number %q: want an integer", w)
	}
	return n, nil
}
