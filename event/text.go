package event

import (
	"fmt"
	"io"
	"strings"
)

// TextSource is a trace in the text form, parsed. It is a Source.
type TextSource struct {
	info   Info
	events []Event
	next   int
}

// ParseText reads the text form of a trace: one event a line, for people to
// write and to read. Tests are written in it.
//
//	# blank lines and comments are skipped
//	info   rank 0
//	info   device 0 "NVIDIA H100" memory 85899345920
//	track  model "model thread"
//	range  step "model.step[12]" at 1.2ms for 41.8ms
//	track  cpu416/417 "python"
//	range  op "aten::mm" at 1.25ms for 40us id 31 args {"Input Dims": [[2,3],[3,4]]}
//	range  runtime "cudaLaunchKernel" at 1.26ms for 20us cause 4711
//	mark   devmem "[memory]" at 1.27ms value -512
//	track  gpu0/7 "stream 7"
//	gpu    kernel "attn_fwd" at 1.31ms for 3.02ms cause 4711
//
// A track line names the track on which the events after it lie: a thread as
// cpuPID/TID, a stream as gpuDEVICE/STREAM, a logical row as a word or a quoted
// text; ids that are not numbers are a quoted label (cpu"CPU functions/1"); "-"
// is no track. Its quoted name, when there is one, is a Meta event thread_name.
//
// An event line is a kind (range, gpu, mark, counter, meta, flow), then the words of
// its class and role in either order, both optional, then the quoted name, then
// clauses in any order:
//
//	at TIME      when it starts (needed, except for meta)
//	for TIME     how long it lasts (default 0)
//	cause N      Link: a launch and what it launched, or an arrow's ends, carry the same
//	id N         Op: an operator's own id, or that of the operator behind the event
//	value N      Value: bytes of a copy, set or allocation; a counter's sample
//	args {JSON}  arguments in order, last on the line
//
// Without a class word a range is an annotation, an activity a kernel and a mark
// of class OtherMark. Times are exact decimals with one of the units ns, us, ms,
// s. Quotes and escapes are Go's.
//
// Info lines, anywhere: rank N, world N, base TIME, host "…", producer "…",
// device N "…" [memory BYTES], prop "key" "value", missing PERCENT, and the
// words stacks, shapes, memory. The form holds no warnings.
//
// The error names the line: "line 7: unknown word "foo"".
func ParseText(r io.Reader) (*TextSource, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	n := int64(len(data))
	p := textParser{info: Info{Format: "text", Producer: "text trace", Bytes: n, Text: n, Complete: true}}
	rest, more := string(data), true
	for line := 1; more; line++ {
		var s string
		s, rest, more = strings.Cut(rest, "\n")
		if err := p.line(strings.TrimSuffix(s, "\r")); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	p.info.Events = int64(len(p.events))
	return &TextSource{info: p.info, events: p.events}, nil
}

// textBatch is how many events a TextSource gives at once.
const textBatch = 4096

// Next fills b with the next events.
func (s *TextSource) Next(b *Batch) error {
	b.Reset()
	if s.next == len(s.events) {
		return io.EOF
	}
	for end := min(s.next+textBatch, len(s.events)); s.next < end; s.next++ {
		b.Add(s.events[s.next])
	}
	return nil
}

// Info returns what the info lines say.
func (s *TextSource) Info() Info { return s.info }

// Close does nothing.
func (s *TextSource) Close() error { return nil }

// placeWords are the words of tracks that are not plain logical rows.
var placeWords = [...]string{NoPlace: "none", Thread: "cpu", Stream: "gpu", Logical: "row"}

// kindWords are the first words of event lines.
var kindWords = [...]string{Range: "range", Activity: "gpu", Mark: "mark", Counter: "counter", Meta: "meta", Flow: "flow"}

// noClassWord is written where an event has no class but its kind has a default.
const noClassWord = "noclass"

// defaultClass is the class of a line without a class word.
var defaultClass = [...]Class{Range: Annotation, Activity: Kernel, Mark: OtherMark, Flow: NoClass}

// threadName is the Meta event that names a track; a track line can stand for it.
const threadName = "thread_name"
