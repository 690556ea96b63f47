package kineto

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"reel/event"
	"reel/internal/compress"
)

// maxHeader bounds the keys before the events.
const maxHeader = 64 << 20

// readHeader reads the text up to where the events start, and takes the keys
// before them. It returns what it read, and where the events start in it.
func (s *Source) readHeader() (head []byte, from int, err error) {
	var readErr error
	for size := s.opt.Chunk; ; size *= 2 {
		grown := make([]byte, size, size+padding)
		n := copy(grown, head)
		var m int
		m, readErr = readFull(s.text, grown[n:])
		head = grown[:n+m]
		if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
			head[0], head[1], head[2] = ' ', ' ', ' '
		}
		at, found, err := s.walk(padded(head), 0)
		if err != nil {
			return nil, 0, err
		}
		if found {
			return head, at, nil
		}
		if readErr != nil {
			break
		}
		if len(head) >= maxHeader {
			return nil, 0, fmt.Errorf("kineto: %s: no list of events in its first %d MiB: %w", s.name, maxHeader>>20, ErrNotTrace)
		}
	}
	ratio := new(compress.RatioError)
	switch {
	case errors.As(readErr, &ratio):
		return nil, 0, fmt.Errorf("kineto: %s: %w", s.name, readErr)
	case len(bytes.TrimSpace(head)) == 0:
		return nil, 0, fmt.Errorf("kineto: %s: the file is empty: %w", s.name, ErrNotTrace)
	case readErr != io.EOF:
		return nil, 0, fmt.Errorf("kineto: %s: cut before the first event: %w: %w", s.name, readErr, ErrNotTrace)
	}
	return nil, 0, fmt.Errorf("kineto: %s: it has no list \"traceEvents\": %w", s.name, ErrNotTrace)
}

func padded(b []byte) []byte {
	b = b[: len(b)+padding : len(b)+padding]
	fillPad(b, len(b)-padding)
	return b
}

// walk goes over the members of the root object in b (padded). It returns where
// the events start when it meets their list; found is false when b ends before.
func (s *Source) walk(b []byte, i int) (at int, found bool, err error) {
	i = skipSpace(b, i)
	switch b[i] {
	case '[':
		return i + 1, true, nil
	case '{':
		i++
	case pad:
		return i, false, nil
	default:
		return 0, false, fmt.Errorf("kineto: %s: it does not start like JSON: %w", s.name, ErrNotTrace)
	}
	keys := map[string][]byte{}
	at, found, err = s.members(b, i, keys)
	if found {
		s.takeKeys(keys)
	}
	return at, found, err
}

// members collects the keys of an object into keys, up to the list of events
// or the end.
func (s *Source) members(b []byte, i int, keys map[string][]byte) (at int, found bool, err error) {
	for {
		for b[i] <= ' ' || b[i] == ',' {
			i++
		}
		if b[i] != '"' {
			return i, false, nil
		}
		e, _ := stringEnd(b, i+1)
		if e < 0 {
			return i, false, nil
		}
		key := string(b[i+1 : e])
		v := colon(b, e)
		if v < 0 {
			return i, false, nil
		}
		if key == "traceEvents" {
			if b[v] == '[' {
				return v + 1, true, nil
			}
			if b[v] != pad {
				return 0, false, fmt.Errorf("kineto: %s: \"traceEvents\" is no list: %w", s.name, ErrNotTrace)
			}
		}
		if e = skipValue(b, v); e < 0 {
			return i, false, nil
		}
		keys[key] = b[v:e]
		i = e
	}
}

// readTail takes the keys that stand behind the events.
func (s *Source) readTail() {
	keys := map[string][]byte{}
	for range padding {
		s.tail = append(s.tail, pad)
	}
	at, second, _ := s.members(s.tail, 0, keys)
	s.takeKeys(keys)
	s.judgeTail(at, second)
	s.tail = nil
}

// judgeTail warns of what stands behind the events and was not read; the keys end
// at s.tail[at], where a second list of events may begin.
func (s *Source) judgeTail(at int, second bool) {
	if s.tail[at] == '}' {
		at++
	}
	switch rest := bytes.Trim(s.tail[at:len(s.tail)-padding], " \t\r\n"); {
	case second, s.closed && len(rest) > 0 && bytes.IndexByte([]byte("{[,"), rest[0]) >= 0:
		s.warn.Add(event.Warning{Code: "second-trace", Text: "more events, or another trace, behind the end of the list of events; not read", Event: -1})
	case s.closed && len(rest) > 0 && rest[0] != '"':
		s.warn.Add(event.Warning{Code: "trailing-text", Text: "text behind the end of the trace; not read", Event: -1})
	}
}

// takeKeys fills the source's info from header keys, wherever they stood.
func (s *Source) takeKeys(keys map[string][]byte) {
	for k, v := range keys {
		switch k {
		case "baseTimeNanoseconds":
			if n, err := strconv.ParseInt(strings.Trim(string(v), `"`), 10, 64); err == nil {
				s.info.Base = &n
			}
		case "deviceProperties":
			s.devices(v)
		case "distributedInfo":
			s.distributed(v)
		case "host_name":
			s.info.Host = plain(v)
		case "record_shapes":
			s.info.Shapes = plain(v) == "1"
		case "with_stack":
			s.info.Stacks = plain(v) == "1"
		case "profile_memory":
			s.info.Memory = plain(v) == "1"
		}
		if s.info.Props == nil {
			s.info.Props = map[string]string{}
		}
		if len(v) <= 1<<10 && v[0] != '{' && v[0] != '[' {
			s.info.Props[k] = plain(v)
		}
	}
}

// plain returns a JSON string's text, or the value as it stands.
func plain(v []byte) string {
	var t string
	if json.Unmarshal(v, &t) == nil {
		return t
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}

func (s *Source) devices(v []byte) {
	var list []struct {
		ID     int64   `json:"id"`
		Name   string  `json:"name"`
		Memory float64 `json:"totalGlobalMem"`
	}
	if err := json.Unmarshal(v, &list); err != nil {
		s.warn.Add(event.Warning{Code: "bad-header", Text: "deviceProperties is not readable", Event: -1})
		return
	}
	for _, d := range list {
		s.info.Devices = append(s.info.Devices, event.Device{ID: d.ID, Name: d.Name, Memory: int64(d.Memory)})
	}
}

func (s *Source) distributed(v []byte) {
	var d struct {
		Rank  *int `json:"rank"`
		World *int `json:"world_size"`
	}
	if err := json.Unmarshal(v, &d); err != nil {
		s.warn.Add(event.Warning{Code: "bad-header", Text: "distributedInfo is not readable", Event: -1})
		return
	}
	s.info.Rank, s.info.WorldSize = d.Rank, d.World
}
