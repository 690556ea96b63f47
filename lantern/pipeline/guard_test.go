package pipeline

import (
	"testing"

	"reel/internal/lint"
)

// TestEveryLoopIsCounted reads the sources of Lantern and of the examples: a loop
// that steps a denoiser ranges over rec.Steps or rec.StepsOf, or no profiler would
// see it. The bound below keeps the test honest: one that finds no loop proves
// nothing.
func TestEveryLoopIsCounted(t *testing.T) {
	const least = 6
	r, err := lint.Run(t.Context(), []string{"..", "../../examples"}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Loops {
		if l.Finding() {
			t.Errorf("%s:%d: %s, and does not range over rec.Steps", l.File, l.Line, l.Evidence)
		}
	}
	if len(r.Loops) < least {
		t.Errorf("%d denoise loops found, at least %d are known: the search is blind", len(r.Loops), least)
	}
}
