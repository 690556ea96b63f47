package chrome

import (
	"bytes"

	"reel/event"
	"reel/read/kineto"
)

// renumber gives an event of one of several ranks the numbers and the time that
// it has among them.
func (c *copier) renumber(e *kineto.RawEvent, text []byte) {
	if e.Pid.Lo < e.Pid.Hi {
		c.renumberPid(e, e.Pid.Of(text))
	}
	if ts := e.Ts.Of(text); len(ts) > 0 && c.shift != 0 {
		c.edit.replace(e.Ts, shifted(ts, c.shift))
	}
	switch e.Kind {
	case event.Flow:
		if id := e.ID.Of(text); len(id) > 0 {
			c.edit.replace(e.ID, c.link(id))
		}
	case event.Range, event.Activity:
		c.renumberArgs(e, text)
	case event.Meta:
		if string(e.Name.Of(text)) == `"process_name"` {
			c.retitle(e, text)
		}
	}
}

func (c *copier) renumberPid(e *kineto.RawEvent, pid []byte) {
	n, ok := integer(pid)
	if !ok {
		if pid[0] == '"' {
			c.edit.replace(e.Pid, quotedAs(c.title, pid))
		}
		return
	}
	to := c.pid(n)
	c.edit.replace(e.Pid, likeInteger(pid, to))
	if _, ok := c.named[to]; !ok && e.Kind != event.Meta {
		c.named[to] = false
		title := "process " + itoa(n)
		if e.Kind == event.Activity {
			title = "GPU " + itoa(n)
		}
		c.present = append(c.present, process{to, title})
	}
}

// quotedAs writes text before a JSON string.
func quotedAs(text string, quoted []byte) []byte {
	q := appendString(nil, text)
	return append(q[:len(q)-1], quoted[1:]...)
}

// link renumbers an id that links events.
func (c *copier) link(id []byte) []byte {
	if n, ok := integer(id); ok {
		return likeInteger(id, c.id(n))
	}
	if n, ok := hexadecimal(id); ok {
		return quotedHex(c.id(n))
	}
	if id[0] == '"' {
		return quotedAs(c.title, id)
	}
	return id
}

// renumberArgs renumbers the arguments that link events.
func (c *copier) renumberArgs(e *kineto.RawEvent, text []byte) {
	args := e.Args.Of(text)
	if c.slot == 0 || len(args) == 0 || args[0] != '{' {
		return
	}
	members(args, func(key []byte, v kineto.RawSpan) {
		switch string(key) {
		case "correlation", "External id", "external id", "wait_on_cuda_event_record_corr_id":
			if value := v.Of(args); bytes.IndexByte(value, '.') < 0 {
				c.edit.replace(kineto.RawSpan{Lo: v.Lo + e.Args.Lo, Hi: v.Hi + e.Args.Lo}, c.link(value))
			}
		}
	})
}

// retitle puts the rank before the name of a process.
func (c *copier) retitle(e *kineto.RawEvent, text []byte) {
	args := e.Args.Of(text)
	if len(args) == 0 || args[0] != '{' {
		return
	}
	if n, ok := integer(e.Pid.Of(text)); ok {
		c.named[c.pid(n)] = true
	}
	members(args, func(key []byte, v kineto.RawSpan) {
		if value := v.Of(args); string(key) == "name" && value[0] == '"' {
			c.edit.replace(kineto.RawSpan{Lo: v.Lo + e.Args.Lo, Hi: v.Hi + e.Args.Lo}, quotedAs(c.title, value))
		}
	})
}
