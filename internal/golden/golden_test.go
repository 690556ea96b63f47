package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// recorder stands in for a test and notes what it is told.
type recorder struct {
	testing.TB
	failed, fatal bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.fatal = true; panic(r) }
func (r *recorder) Fatal(...any)          { r.fatal = true; panic(r) }

func check(t *testing.T, name, got string) (r recorder) {
	t.Helper()
	r.TB = t
	defer func() { _ = recover() }()
	String(&r, name, got)
	return r
}

func TestCheckAndUpdate(t *testing.T) {
	t.Chdir(t.TempDir())
	defer func(old bool) { *update = old }(*update)

	*update = false
	if r := check(t, "a/b.txt", "one\n"); r.failed {
		t.Error("a missing file must be fatal, not a difference")
	}
	if _, err := os.Stat("testdata"); err == nil {
		t.Fatal("without -update nothing may be written")
	}
	*update = true
	check(t, "a/b.txt", "one\n")
	if got, err := os.ReadFile(filepath.Join("testdata", "a", "b.txt")); err != nil || string(got) != "one\n" {
		t.Fatalf("-update wrote %q, %v", got, err)
	}
	*update = false
	if r := check(t, "a/b.txt", "one\n"); r.failed || r.fatal {
		t.Error("equal content must pass")
	}
	if r := check(t, "a/b.txt", "two\n"); !r.failed {
		t.Error("different content must fail")
	}
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ want, got, diff string }{
		{"a\n", "a\n", ""},
		{"a\nb\n", "a\nc\n", "line 2:\n-\"b\\n\"\n-\"\"\n+\"c\\n\"\n+\"\"\n"},
		{"a", "a\n", "line 1:\n-\"a\"\n+\"a\\n\"\n+\"\"\n"},
	} {
		if got := Diff([]byte(c.want), []byte(c.got)); got != c.diff {
			t.Errorf("Diff(%q, %q) = %q, want %q", c.want, c.got, got, c.diff)
		}
	}
}
