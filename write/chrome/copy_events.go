package chrome

import (
	"reel/event"
	"reel/read/kineto"
)

// batch copies the events of a batch. Those that stay as they are go out together,
// with what stands between them.
func (c *copier) batch(b *kineto.RawBatch) {
	run, end := -1, b.Lo // where the events begin that go out together, and the last one's end
	for i := range b.Events {
		e := &b.Events[i]
		c.gap = append(c.gap, b.Text[end:e.Span.Lo]...)
		plain := c.event(b, e)
		if run >= 0 && !(plain && joins(c.gap, true)) {
			c.bytes(b.Text[run:end])
			run = -1
		}
		if plain && run < 0 {
			c.separate()
			run = int(e.Span.Lo)
		}
		if plain {
			c.out.events++
		}
		for _, text := range c.texts {
			c.separate()
			c.bytes(text)
			c.out.events++
		}
		end, c.gap = int(e.Span.Hi), c.gap[:0]
	}
	if run >= 0 {
		c.bytes(b.Text[run:end])
	}
	c.gap = append(c.gap, b.Text[end:max(end, b.Hi)]...)
}

// joins reports whether a text separates two events: white space with one comma,
// or none before the first.
func joins(gap []byte, comma bool) bool {
	n := 0
	for _, ch := range gap {
		switch ch {
		case ',':
			n++
		case ' ', '\n', '\t', '\r':
		default:
			return false
		}
	}
	return comma && n == 1 || !comma && n == 0
}

// separate writes what comes before an event: what the source has there, if that
// is right.
func (c *copier) separate() {
	switch {
	case joins(c.gap, c.events > 0):
		c.bytes(c.gap)
	case c.events > 0:
		c.raw(",\n  ")
	}
}

// event decides about an event. It is plain when its text goes out as it stands
// in the batch; otherwise c.texts go out.
func (c *copier) event(b *kineto.RawBatch, e *kineto.RawEvent) (plain bool) {
	c.texts = c.texts[:0]
	c.read++
	if e.Lost {
		c.st.Lost++
		return false
	}
	c.own = c.own || e.Own
	if c.cut != nil && !c.cut.keeps(e) {
		return false
	}
	text := e.Text(b)
	c.edit.reset()
	c.move(e, text)
	if c.many {
		c.renumber(e, text)
	}
	edited := len(c.edit.list) > 0
	if edited {
		c.text = c.edit.apply(c.text[:0], text)
		text = c.text
	}
	if c.cut != nil && e.Kind == event.Flow {
		c.texts = c.cut.pair(e, text, c.texts)
		c.st.Copied += int64(len(c.texts))
		return false
	}
	c.st.Copied++
	if e.Mended != nil {
		c.st.Mended++
	}
	if plain = !edited && e.Mended == nil; !plain {
		c.texts = append(c.texts, text)
	}
	return plain
}

// move gives an activity that overlaps others, and the end of its arrow, the tid of
// a sub-track.
func (c *copier) move(e *kineto.RawEvent, text []byte) {
	if c.moves.none() || e.Tid.Lo == e.Tid.Hi {
		return
	}
	switch e.Kind {
	case event.Activity:
		if tid, ok := c.moves.activity(e, text); ok {
			c.st.Moved++
			c.edit.replace(e.Tid, itob(tid))
		}
	case event.Flow:
		if tid, ok := c.moves.flow(e, text); ok {
			c.edit.replace(e.Tid, itob(tid))
		}
	}
}

func itob(n int64) []byte { return []byte(itoa(n)) }
