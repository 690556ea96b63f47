package rec

import (
	"errors"
	"io"

	"reel/event"
	"reel/reelfile"
)

// Count reads a recording and returns how many events it holds, and how many of
// them are activities of devices: for reports on what was seen.
func Count(path string) (events, activities int64, err error) {
	src, err := reelfile.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	var b event.Batch
	for {
		switch err := src.Next(&b); {
		case errors.Is(err, io.EOF):
			return events, activities, nil
		case err != nil:
			return events, activities, err
		}
		for _, k := range b.Kind {
			switch k {
			case event.Meta:
				continue
			case event.Activity:
				activities++
			}
			events++
		}
	}
}

// off is the Recorder of workers that have none.
var off = &Recorder{}

// Recording returns the worker's Recorder, for what a Profiler is not told:
// launches and activities of devices, counters. Without one it is off.
func (w *Worker) Recording() *Recorder {
	for _, p := range profilers(w.Profiler) {
		if r, ok := p.(pooled); ok {
			return r.Recorder
		}
	}
	return off
}
