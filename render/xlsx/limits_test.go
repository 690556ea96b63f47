package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/golden"
)

// TestRowLimit fills a sheet that holds a dozen rows.
func TestRowLimit(t *testing.T) {
	rep := &analyze.OpsReport{By: analyze.OpsByName, Notes: []string{"a note"}}
	for i := range 30 {
		rep.Rows = append(rep.Rows, analyze.OpsRow{Name: fmt.Sprint("op", i), DeviceType: "cpu", Count: 1, SelfCPU: int64(1000 * i)})
		rep.SelfCPU += int64(1000 * i)
	}
	rep.RowsTotal = 30
	golden.Check(t, "limit.csv", limited(t, rep, 12))
	rep.Notes = nil
	limited(t, rep, 12)
	rep.Rows = rep.Rows[:9] // with the heading, the empty row and the total
	rep.RowsTotal = 9
	if got := limited(t, rep, 12); bytes.Contains(got, []byte("left out")) {
		t.Errorf("all rows have room:\n%s", got)
	}
}

// limited writes a sheet of so many rows at most, and checks that it has as many.
func limited(t *testing.T, rep *analyze.OpsReport, limit int) []byte {
	t.Helper()
	w, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.limit = limit
	var b bytes.Buffer
	if err := errors.Join(w.Add(rep), w.Write(&b)); err != nil {
		t.Fatal(err)
	}
	got := cells(t, open(t, b.Bytes()), "summary")
	if n := bytes.Count(got, []byte("\n")); n != limit {
		t.Errorf("%d rows in a sheet of %d", n, limit)
	}
	return got
}

func TestErrors(t *testing.T) {
	w, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(io.Discard); err == nil {
		t.Error("a workbook without a sheet must be an error")
	}
	if err := w.Add(&analyze.OpsReport{By: "colour"}); err == nil {
		t.Error("an unknown grouping must be an error")
	}
	if err := errors.Join(w.Add(sample(all[0])), w.Add(sample(all[0]))); err == nil || !strings.Contains(err.Error(), "two reports") {
		t.Errorf("the same sheet twice: %v", err)
	}
	for room := range 8 {
		if err := w.Write(&full{room * 900}); !errors.Is(err, errFull) {
			t.Errorf("a disk with room for %d bytes: %v", room*900, err)
		}
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Error(err)
	}
	bounded := bounded{io.Discard, 5}
	if _, err := bounded.Write(make([]byte, 6)); !errors.Is(err, errTooLarge) {
		t.Errorf("too large a part: %v", err)
	}
	bad := Options{TempDir: filepath.Join(t.TempDir(), "none")}
	if err := Write(io.Discard, bad, sample(all[0])); err != nil {
		t.Errorf("a small workbook needs no temporary folder: %v", err)
	}
}

// full fails after some bytes, as a disk does.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}
