package analyze

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
	"reel/timeline"
)

// FuzzExamine: no trace makes a diagnosis fail, and what it says survives a file.
func FuzzExamine(f *testing.F) {
	files, _ := filepath.Glob("testdata/findings/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	roles := builtin(f)
	f.Fuzz(func(t *testing.T, text string) {
		src, err := event.ParseText(strings.NewReader(text))
		if err != nil {
			return
		}
		tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: OpsArgs, MarkArgs: MemoryArgs})
		if err != nil {
			return
		}
		p := newPartial(tl, roles)
		var b bytes.Buffer
		if err := p.Encode(&b); err != nil {
			t.Fatal(err)
		}
		first := b.String()
		back, err := DecodePartial(&b)
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		d := Finalize(back)
		for _, f := range d.Findings {
			if f.Cost != nil && *f.Cost < 0 {
				t.Errorf("%s costs %d", f.ID, *f.Cost)
			}
		}
		if r := d.Doctor(); len(r.Checked)+len(r.NotAnswerable) != len(CheckIDs()) {
			t.Errorf("%d checked, %d not answerable", len(r.Checked), len(r.NotAnswerable))
		}
	})
}
