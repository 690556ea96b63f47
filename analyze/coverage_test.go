package analyze

import (
	"strings"
	"testing"
)

// TestCoverage: what was asked for and not seen.
func TestCoverage(t *testing.T) {
	tl := textTimeline(t, "findings/empty-window-fine.txt")
	for want, c := range map[string]Coverage{
		"error: window 0-4 was asked for and never entered: 3 steps":             {Asked: "window 0-4", Of: 1, Missed: "3 steps"},
		"error: window 0-4 was entered, and nothing was recorded in it":          {Asked: "window 0-4", Entered: 1, Of: 1},
		"warn: window 0-4 was entered 1 of 2 times":                              {Asked: "window 0-4", Entered: 1, Of: 2, Events: 5, DeviceEvents: 3},
		"warn: session holds no device activity, though there is some elsewhere": {Asked: "session", Entered: 1, Events: 5},
		"": {Asked: "window 0-4", Entered: 2, Of: 2, Events: 5, DeviceEvents: 3},
	} {
		s, d := Examine(tl, builtin(t), ExamineOptions{Coverage: []Coverage{c}})
		var got []string
		for _, f := range d.of("empty-window").Findings {
			got = append(got, string(f.Severity)+": "+f.Title)
		}
		if g := strings.Join(got, "; "); g != want {
			t.Errorf("%q, want %q", g, want)
		}
		back := decoded(t, encoded(t, NewPartial(tl, s, d)))
		if r := Finalize(back).Ranks[0]; len(r.Coverage) != 1 || r.Coverage[0] != c {
			t.Errorf("not carried: %+v", r.Coverage)
		}
	}
}
