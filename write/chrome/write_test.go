package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reel/analyze"
	"reel/event"
	"reel/internal/golden"
	"reel/internal/synth"
	"reel/timeline"
)

// TestWrite writes a small recording, compares the text, and reads it again: what
// a timeline holds is there.
func TestWrite(t *testing.T) {
	text, err := os.ReadFile("testdata/small.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := textRank(t, string(text))
	var b bytes.Buffer
	st, err := Write(context.Background(), &b, []analyze.Rank{want}, Options{Roles: roleTable(t)})
	if err != nil || !json.Valid(b.Bytes()) {
		t.Fatalf("%v: %s", err, b.Bytes())
	}
	golden.Check(t, "small.json", b.Bytes())
	if st.Moved != 1 {
		t.Errorf("%d activities were moved, want that which overlaps another", st.Moved)
	}
	got := opened(t, &b, "small.json")
	sameRun(t, got, want)
	checkDrawn(t, got)
	for _, r := range []analyze.Rank{got, want} {
		if d := r.Derived; len(d.Steps) != 2 || d.Steps[0].Evidence != analyze.ByRange || len(d.Stages) != 1 {
			t.Errorf("steps %+v, stages %+v", d.Steps, d.Stages)
		}
	}
	if a, b := contents(got.TL), contents(want.TL); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

// contents is what of a timeline must survive.
func contents(tl *timeline.Timeline) string {
	var b strings.Builder
	name := func(r timeline.RangeID) string {
		if r == timeline.NoRange {
			return "-"
		}
		return tl.Name(tl.Ranges.Name[r])
	}
	for i := range tl.Ranges.Start {
		r := timeline.RangeID(i)
		b.WriteString(name(r) + " " + tl.Ranges.Class[i].String() + " " + tl.Ranges.Role[i].String() + " in " + name(tl.Ranges.Parent[i]) + "\n")
	}
	names := []string{}
	for i := range tl.Activities.Start {
		names = append(names, tl.Name(tl.Activities.Name[i])+" "+tl.Activities.Class[i].String()+" by "+name(tl.Activities.Launch[i])+" of "+name(tl.Activities.Owner[i])+" "+itoa(tl.Activities.Bytes[i]))
	}
	for _, want := range []event.Class{event.Kernel, event.Copy, event.Set, event.Sync, event.Unsound, event.GPUAnnotation} {
		for i, n := range names {
			if tl.Activities.Class[i] == want && want != event.Kernel {
				b.WriteString(n + "\n")
			}
		}
	}
	for i := range tl.Marks.At {
		b.WriteString(tl.Name(tl.Marks.Name[i]) + " " + tl.Marks.Class[i].String() + "\n")
	}
	return b.String()
}

// TestCopyAgain copies a copy: nothing changes any more.
func TestCopyAgain(t *testing.T) {
	first, st := copied(t, []analyze.Rank{made(t, synth.Options{Steps: 2, Layers: 1, Python: true})}, Options{})
	if st.Events <= st.Copied {
		t.Errorf("nothing was added: %+v", st)
	}
	path := filepath.Join(t.TempDir(), "first.json")
	if err := os.WriteFile(path, first, 0o644); err != nil {
		t.Fatal(err)
	}
	second, st := copied(t, []analyze.Rank{openFile(t, path)}, Options{})
	if !bytes.Equal(first, second) || st.Copied != st.Events {
		t.Errorf("the second copy differs: %+v", st)
	}
}

// failing is a writer that fails after some bytes.
type failing struct{ left int }

var errFull = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestErrors checks that writing ends with the error of the writer, of the source
// and of the context.
func TestErrors(t *testing.T) {
	r := made(t, synth.Options{Steps: 6, Python: true})
	roles := roleTable(t)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	writers := map[string]func(ctx context.Context, w *failing, ranks ...analyze.Rank) error{
		"Write": func(ctx context.Context, w *failing, ranks ...analyze.Rank) error {
			_, err := Write(ctx, w, ranks, Options{Roles: roles})
			return err
		},
		"Copy": func(ctx context.Context, w *failing, ranks ...analyze.Rank) error {
			_, err := Copy(ctx, w, ranks, Options{Roles: roles})
			return err
		},
	}
	for name, write := range writers {
		for _, left := range []int{0, 100, 200_000} {
			if err := write(context.Background(), &failing{left}, r); !errors.Is(err, errFull) {
				t.Errorf("%s: %v after %d bytes, want the writer's error", name, err, left)
			}
		}
		if err := write(cancelled, &failing{1 << 30}, r); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that of the context", name, err)
		}
		if err := write(context.Background(), &failing{1 << 30}); err == nil {
			t.Errorf("%s writes no ranks", name)
		}
	}
	gone := r
	gone.Path = filepath.Join(t.TempDir(), "gone.json")
	if err := writers["Copy"](context.Background(), &failing{1 << 30}, gone); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want that the file is not there", err)
	}
	if _, err := Copy(context.Background(), &failing{1 << 30}, []analyze.Rank{r}, Options{Cut: []timeline.Selection{{}, {}}}); err == nil {
		t.Error("two cuts for one rank are accepted")
	}
}

// TestCrowded writes thousands of activities and operators that all overlap: rows
// are bounded, nothing is lost, and it is told.
func TestCrowded(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	b.WriteString("[")
	for i := range n {
		fmt.Fprintf(&b, `{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":90000,"args":{"device":0,"stream":7}},`, i)
		fmt.Fprintf(&b, `{"ph":"X","cat":"cpu_op","name":"o","pid":1,"tid":7,"ts":%d,"dur":90000},`, i)
	}
	path := filepath.Join(t.TempDir(), "crowded.json")
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(b.String(), ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := openFile(t, path)
	begin := time.Now()
	var out bytes.Buffer
	st, err := Copy(context.Background(), &out, []analyze.Rank{r}, Options{})
	if err != nil || st.Copied != 2*n || st.Moved != maxLanes-1 || len(st.Notes) != 1 || !strings.Contains(st.Notes[0], "19744 activities overlap more than 255 others") {
		t.Errorf("%+v, %v", st, err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if st, err = Write(context.Background(), &out, []analyze.Rank{r}, Options{}); err != nil || len(st.Notes) != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}
