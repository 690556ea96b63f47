package html

import (
	"strings"
	"testing"

	"reel/analyze"
)

// TestTimelineNamesAreText shows a timeline whose names are markup.
func TestTimelineNamesAreText(t *testing.T) {
	var b strings.Builder
	evil := `"><script>alert(1)</script>`
	tl := &Timeline{End: 1000, Cols: 100, Note: evil, Rows: []TimelineRow{{Name: evil, Marks: []TimelineMark{
		{From: 1, To: 20, Colour: "op", Share: 1, Name: evil, Dur: 190},
		{From: 30, To: 31, Colour: "op", Share: 0.5},
		{From: 40, To: 42, Colour: "op", Share: 0.5},
	}}}}
	if err := WriteWith(&b, &analyze.Document{}, nil, tl); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Contains(page, "<script>alert") {
		t.Error("a name became markup")
	}
	if n := strings.Count(page, `<path class="t-op"`); n != 1 {
		t.Errorf("%d paths, want the two short stretches in one", n)
	}
	if !strings.Contains(page, "190 ns") && !strings.Contains(page, "190 ns") {
		t.Error("the title of a long interval does not say how long it is")
	}
}
