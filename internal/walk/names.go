package walk

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"reel/event"
	"reel/timeline"
)

// Text returns s as valid UTF-8; each run of bytes that is none becomes U+FFFD.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// FrameName returns what a range is called in a call stack: its name, save that
// the numbered steps of torch.profiler become one, "ProfilerStep*", as in its own
// tables; equal stacks in different steps would not be equal otherwise.
func FrameName(name string) string {
	if strings.HasPrefix(name, "ProfilerStep#") {
		return "ProfilerStep*"
	}
	return name
}

// TrackName returns what a track is called: its recorded name, or its ids.
func TrackName(t *timeline.Track) string {
	if name := strings.TrimSpace(t.Name); name != "" {
		return Text(name)
	}
	if t.Label != "" {
		return Text(t.Label)
	}
	switch t.Place {
	case event.Thread:
		return fmt.Sprintf("thread %d", t.B)
	case event.Stream:
		return fmt.Sprintf("stream %d", t.B)
	}
	return "no track"
}

// IsProgram reports whether a host track holds what the program did: not only
// the profiler's own overhead, and not rows where the profiler notes its spans.
func IsProgram(tl *timeline.Timeline, id timeline.TrackID) bool {
	t := &tl.Tracks[id]
	for i := t.Lo; i < t.Hi; i++ {
		c := tl.Ranges.Class[i]
		if c != event.Overhead && (c != event.OtherRange || t.Place == event.Thread) {
			return true
		}
	}
	return false
}

// Call is a Python function as the name of its range tells it.
type Call struct {
	File string // as recorded
	Line int    // where the function begins
	Func string
}

// ParseCall reads "path/file.py(120): func".
func ParseCall(name string) (Call, bool) {
	k := strings.LastIndex(name, "): ")
	if k < 0 {
		return Call{}, false
	}
	o := strings.LastIndexByte(name[:k], '(')
	if o <= 0 {
		return Call{}, false
	}
	line, err := strconv.ParseInt(name[o+1:k], 10, 32)
	if err != nil || line < 0 {
		return Call{}, false
	}
	return Call{Text(name[:o]), int(line), Text(name[k+3:])}, true
}

// String returns "file.py: func", without the file's folder, save where only
// the folder tells files apart: "models/__init__.py: func".
func (c Call) String() string {
	file := c.File
	if k := strings.LastIndexByte(file, '/'); k >= 0 {
		if base := file[k+1:]; base == "__init__.py" || base == "__main__.py" {
			k = strings.LastIndexByte(file[:k], '/')
		}
		file = file[k+1:]
	}
	return file + ": " + c.Func
}
