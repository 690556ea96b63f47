package nsys

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/nsysgen"
	"reel/internal/sqlite"
)

// edited is a synthetic export that statements changed, each with a text of its own.
func edited(t *testing.T, name string, statements map[string]string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.sqlite")
	if err := nsysgen.Write(context.Background(), path, name, nsysgen.New); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Edit(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for sql, value := range statements {
		insert, err := db.Insert(sql)
		if err == nil {
			err = errors.Join(insert(value), insert())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLongTexts: what a program printed may be longer than any value that is read; it costs
// the export nothing. A range whose name is as long costs its stretch, and is told.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("o", maxValue+1)
	whole := events(t, source(t, generated(t, "ranks", nsysgen.New), "x.sqlite", Options{}))
	s := source(t, edited(t, "ranks", map[string]string{"INSERT INTO StringIds VALUES(900, ?)": long}), "x.sqlite", Options{})
	if got := events(t, s); got != whole || len(s.Info().Warnings) > 0 {
		t.Errorf("captured output: %d events of %d, %v", got, whole, s.Info().Warnings)
	}
	s = source(t, edited(t, "ranks", map[string]string{"UPDATE NVTX_EVENTS SET text = ? WHERE rowid = (SELECT min(rowid) FROM NVTX_EVENTS WHERE eventType = 59)": long}), "x.sqlite", Options{})
	if got := events(t, s); got == 0 || got >= whole || !warned(s, "unreadable") {
		t.Errorf("a long name: %d events of %d, %v", got, whole, s.Info().Warnings)
	}
}

// TestLongMessages: what a file says of its session is cut to what anybody would read.
func TestLongMessages(t *testing.T) {
	words := strings.Repeat("word ", 1<<18)
	s := source(t, edited(t, "ranks", map[string]string{
		"INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', ?)": words,
		"UPDATE TARGET_INFO_GPU SET name = ?":                              words,
	}), "x.sqlite", Options{})
	events(t, s)
	for _, d := range s.Info().Devices {
		if len(d.Name) > maxWord+len("…") || !strings.HasSuffix(d.Name, "…") {
			t.Errorf("a device's name of %d bytes", len(d.Name))
		}
	}
	if v := s.Info().Props["nsys version"]; v == "" || len(v) > maxWord+len("…") {
		t.Errorf("a version of %d bytes", len(v))
	}
}

// events counts the events of a source.
func events(t *testing.T, s *Source) (n int) {
	t.Helper()
	var b event.Batch
	for {
		err := s.Next(&b)
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		n += b.Len()
	}
}

func warned(s *Source, code string) bool {
	for _, w := range s.Info().Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}
