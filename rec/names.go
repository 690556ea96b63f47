package rec

import (
	"fmt"

	"reel/internal/rundir"
	"reel/window"
)

// TraceName names windows' files as TensorRT-LLM does: base-rank-<R>.ext for the
// first one of the process, base-rank-<R>-window-<k>.ext for the others. .json.gz
// is one suffix; in a folder the base is "trace".
func TraceName(path string, rank int) func(window.Window, int) string {
	stem, suffix := split(clean(path, "trace"+recordingSuffix))
	return func(_ window.Window, k int) string {
		if k == 0 {
			return fmt.Sprintf("%s-rank-%d%s", stem, rank, suffix)
		}
		return fmt.Sprintf("%s-rank-%d-window-%d%s", stem, rank, k, suffix)
	}
}

// WindowName names windows' files by what they hold: path with
// -request-0-loop-1-steps-0-4, or -request-0-predenoise, before the suffix.
func WindowName(path string) func(window.Window, int) string {
	stem, suffix := split(clean(path, "rec"+recordingSuffix))
	return func(w window.Window, _ int) string {
		if w.Mode != window.Steps {
			return fmt.Sprintf("%s-request-%d-%s%s", stem, w.Request, w.Mode, suffix)
		}
		steps := fmt.Sprint(w.Range.From)
		if w.Range.To != w.Range.From {
			steps += fmt.Sprintf("-%d", w.Range.To)
		}
		return fmt.Sprintf("%s-request-%d-loop-%d-steps-%s%s", stem, w.Request, w.Loop, steps, suffix)
	}
}

// split cuts a path before its suffix, which a path without gets.
func split(path string) (stem, suffix string) {
	stem, suffix = rundir.Split(path)
	if suffix == "" {
		suffix = recordingSuffix
	}
	return stem, suffix
}
