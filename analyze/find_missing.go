package analyze

import (
	"fmt"
	"slices"
	"strings"

	"reel/timeline"
	"reel/unit"
)

// emptyWindow looks for recordings in which nothing happened, and for steps in
// which nothing was seen of a device that was seen elsewhere.
func emptyWindow(s *scene) answer {
	if list := s.uncovered(); len(list) > 0 {
		return found(list...)
	}
	if s.tl.Ranges.Len() == 0 && len(s.work) == 0 && len(s.tl.Marks.At) == 0 {
		return found(Finding{Severity: SeverityError, Title: "the recording is empty: no range, no mark and no device activity",
			Evidence: facts{"events": s.tl.Info.Events},
			Remedy:   "Check that the window was entered: which iterations the schedule asks for, whether step() is called, and which process does the work."})
	}
	if s.sum.GPU == nil || s.unit != "step" {
		return fine("the recording holds events")
	}
	empty := 0
	s.counted(func(l *lap) {
		if len(l.acts) == 0 {
			empty++
		}
	})
	if empty == 0 {
		return fine("device work was seen in every " + s.unit)
	}
	return found(Finding{Severity: SeverityWarn, Where: where(s.stage(), s.lapCall()),
		Title:    fmt.Sprintf("%s of %d launched no device work, though there is some elsewhere", countText(empty, s.unit, s.unit+"s"), len(s.laps)),
		Evidence: facts{"empty": empty, "of": len(s.laps), "device_events": len(s.work)},
		Remedy:   "The window ends before the device does, or events were lost: idle the device before recording ends, and look at the warnings."})
}

// noDeviceEvents looks for traces of a device in which it does nothing.
func noDeviceEvents(s *scene) answer {
	if s.sum.GPU != nil {
		return fine(countText(s.sum.GPU.Activities, "device activity", "device activities"))
	}
	launches := 0
	for i := range s.tl.Ranges.Class {
		if r := timeline.RangeID(i); s.isRuntime(r) {
			if k := s.calls.kind(r); k == launchCall || k == graphCall {
				launches++
			}
		}
	}
	remedy := "Record device activity too (ProfilerActivity.CUDA), run no second profiler beside this one (nsys, another CUPTI user), and see that the driver lets the user profile."
	if s.tl.Info.Format == "nsys" {
		remedy = "Record with nsys profile --trace=cuda,nvtx, by an nsys that is as new as the driver, with no other profiler of CUDA in the process; the warnings say what nsys itself found."
	}
	switch {
	case launches > 0 && !s.tl.Info.Complete:
		return found(Finding{Severity: SeverityWarn, Title: fmt.Sprintf("%s, and no activity on any device: the file is cut, and activities stand at its end", countText(launches, "launch", "launches")),
			Evidence: facts{"launches": launches}, Remedy: "Let the profiler finish writing its file."})
	case launches > 0:
		return found(Finding{Severity: SeverityError, Title: fmt.Sprintf("%s, and no activity on any device", countText(launches, "launch", "launches")),
			Evidence: facts{"launches": launches}, Remedy: remedy})
	case len(s.tl.Info.Devices) > 0:
		return found(Finding{Severity: SeverityWarn, Title: "the trace names a device, and holds no activity of it",
			Evidence: facts{"devices": len(s.tl.Info.Devices), "device": s.tl.Info.Devices[0].Name}, Remedy: remedy})
	}
	return fine("a run on the CPU: no device is named and nothing was launched")
}

// lossCodes are the warnings of readers that tell of lost events.
var lossCodes = []string{"cut", "dropped", "overwritten", "nul-bytes", "half-written", "damaged-chunk", "damaged-event", "unreadable", "unsound-time",
	"command-buffer-full", "diagnostic-loss"}

// mayCodes are those of them that tell of what may be lost.
var mayCodes = []string{"command-buffer-full", "diagnostic-loss"}

// lostEvents looks for what a file should hold and does not.
func lostEvents(s *scene) answer {
	i := &s.tl.Info
	var why []string
	var lost int64
	verb := "may be"
	for _, w := range s.tl.Warnings {
		if slices.Contains(lossCodes, w.Code) {
			why, lost = append(why, w.Text), lost+max(1, w.Count)
			if !slices.Contains(mayCodes, w.Code) {
				verb = "are"
			}
		}
	}
	if len(why) == 0 && i.MissingPercent == 0 {
		if !i.Complete {
			return found(Finding{Severity: SeverityWarn, Title: "the file ends before its end: what came last is missing", Evidence: facts{"complete": false},
				Remedy: "Stop the profiler before the program ends, and wait until the file is written."})
		}
		return fine("the file is whole")
	}
	title := "events " + verb + " missing from this trace"
	if i.MissingPercent > 0 {
		title = fmt.Sprintf("%s of the file could not be read", unit.Percent(i.MissingPercent))
	} else if len(why) > 0 {
		title += ": " + strings.Join(firstSentences(why[:min(2, len(why))]), "; ")
	}
	return found(Finding{Severity: SeverityWarn, Title: title,
		Evidence: lossFacts(i.MissingPercent, lost, why),
		Remedy:   "Stop the profiler before the program ends; give it larger buffers, or a shorter window. `reel check` lists all that is wrong."})
}

// firstSentences cuts texts to their first sentences: those of other programs may be long.
func firstSentences(texts []string) (out []string) {
	for _, t := range texts {
		t, _, _ = strings.Cut(t, ". ")
		out = append(out, t)
	}
	return out
}

// lossFacts are the evidence of lost events.
func lossFacts(missing float64, faults int64, reasons []string) facts {
	f := facts{"missing_percent": missing}
	if len(reasons) > 0 {
		f["faults"], f["reasons"] = faults, reasons[:min(5, len(reasons))]
	}
	return f
}
