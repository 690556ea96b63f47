package analyze

import (
	"context"
	"strings"
	"testing"

	"reel/event"
	"reel/timeline"
)

// timelineOf reads a trace in the text form.
func timelineOf(t testing.TB, text string) *timeline.Timeline { return timelineArgs(t, text, nil) }

// timelineArgs keeps arguments of ranges too.
func timelineArgs(t testing.TB, text string, args []string) *timeline.Timeline {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: args, MarkArgs: MemoryArgs})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// newPartial is the partial of a rank with its diagnosis.
func newPartial(tl *timeline.Timeline, roles *Roles) *Partial {
	s, d := Examine(tl, roles, ExamineOptions{})
	return NewPartial(tl, s, d)
}
