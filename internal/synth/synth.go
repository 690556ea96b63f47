// Package synth writes traces of diffusion runs that never happened: the text
// that torch.profiler's Kineto writer leaves, of a text-to-image pipeline with
// text encoders, a denoise loop and a VAE decode on an asynchronous device, and
// beside it the truth about what the trace holds. It measures nothing and reads
// no file; equal options give equal bytes.
package synth

import (
	"fmt"
	"io"
)

// Style is how the JSON text is laid out.
type Style uint8

const (
	Pretty   Style = iota // Kineto's own layout, an event on several lines
	Minified              // no blank anywhere: },{
	Spaced                // one line, as Python's json.dumps writes it: }, {
)

// Vendor is the maker of the device, which decides names and arguments.
type Vendor uint8

const (
	CUDA Vendor = iota
	ROCm
)

// Options says what to write. The zero value is one small CUDA request without
// Python calls, pretty-printed, in time relative to baseTimeNanoseconds.
type Options struct {
	Seed        uint64
	Steps       int   // denoise steps of a request; 0 means 8
	Layers      int   // transformer blocks; 0 means 4
	Requests    int   // 0 means 1
	TargetBytes int64 // more requests, until the text is at least this long
	Style       Style
	Vendor      Vendor
	Python      bool // record python_function events (about three quarters of all)
	Memory      bool // record [memory] instants
	Annotations bool // record_function ranges around the stages
	Graph       bool // steps replay a graph: one launch, many kernels
	Rank        int
	WorldSize   int  // 0 leaves distributedInfo out
	Collectives bool // an all-to-all in every transformer block
	HeaderLast  bool // header keys after traceEvents
	Absolute    bool // no baseTimeNanoseconds; timestamps count from 1970
}

// Write writes one trace to w and returns what is in it. Memory stays bounded by
// one request, whatever the length of the text. Errors are those of w, and
// options out of range.
func Write(w io.Writer, o Options) (Truth, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Truth{}, err
	}
	if o.TargetBytes > 0 {
		if o.Requests, err = requestsFor(o); err != nil {
			return Truth{}, err
		}
	}
	return write(w, o)
}

func (o Options) withDefaults() (Options, error) {
	if o.Steps < 0 || o.Layers < 0 || o.Requests < 0 || o.TargetBytes < 0 {
		return o, fmt.Errorf("synth: steps, layers, requests and target bytes cannot be negative")
	}
	if o.Rank < 0 || o.WorldSize < 0 || o.Rank > 0 && o.Rank >= o.WorldSize {
		return o, fmt.Errorf("synth: rank %d is outside a world of %d", o.Rank, o.WorldSize)
	}
	if o.Style > Spaced || o.Vendor > ROCm {
		return o, fmt.Errorf("synth: unknown style or vendor")
	}
	if o.Steps == 0 {
		o.Steps = 8
	}
	if o.Layers == 0 {
		o.Layers = 4
	}
	if o.Requests == 0 {
		o.Requests = 1
	}
	return o, nil
}

// requestsFor measures one request and a second one; later ones are no shorter,
// because ids only grow. A small margin covers the jitter of durations.
func requestsFor(o Options) (int, error) {
	var size [2]int64
	for i := range size {
		p := o
		p.Requests, p.TargetBytes = i+1, 0
		t, err := write(io.Discard, p)
		if err != nil {
			return 0, err
		}
		size[i] = t.Bytes
		if i == 0 && t.Bytes >= o.TargetBytes {
			return o.Requests, nil
		}
	}
	each := float64(size[1]-size[0]) * 0.998
	more := (float64(o.TargetBytes) - float64(size[0])) / each
	return max(o.Requests, 2+int(max(more, -1))), nil
}

// write runs the simulation once for each section of the file, because Kineto
// writes all operators first, then the Python calls, then the device's side, and
// a long run does not fit into memory.
func write(w io.Writer, o Options) (Truth, error) {
	e := newEncoder(w, o)
	truth := Truth{Categories: map[string]int{}}
	if !o.HeaderLast {
		e.header()
	}
	e.openEvents()
	sections := []func(*sim){e.operators, nil, nil, e.deviceSide}
	if o.Memory {
		sections[1] = e.memory
	}
	if o.Python {
		sections[2] = e.python
	}
	s := newSim(o)
	for i, section := range sections {
		if section == nil {
			continue
		}
		s.rewind()
		for r := range o.Requests {
			s.request(r)
			section(s)
			if i == len(sections)-1 {
				truth.add(s, r)
			}
		}
		truth.EndNS = s.now
	}
	e.closing(&truth)
	e.closeEvents()
	e.footer()
	truth.finish(e)
	return truth, e.flush()
}
