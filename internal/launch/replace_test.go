//go:build unix

package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestForceKeeps: a run is replaced when the new command has started, not before, and
// never with files that are not of it.
func TestForceKeeps(t *testing.T) {
	s := newScene(t, "worker", "say")
	opt := Options{Argv: []string{"worker"}, Report: "run", Stats: "stats.json"}
	if _, err := s.run(opt); err != nil {
		t.Fatal(err)
	}
	before, _ := filepath.Glob("run/rec-*.reel")
	write(t, "stats.json", "old", 0o644)
	write(t, "garbage", "\x7fELF, but for the rest", 0o755)
	missing := new(NotFound)
	bad := opt
	bad.Argv, bad.Force = []string{"./garbage"}, true
	if _, err := s.run(bad); !errors.As(err, &missing) {
		t.Fatal(err)
	}
	if now, _ := filepath.Glob("run/rec-*.reel"); len(before) != 1 || len(now) != 1 || now[0] != before[0] || read(t, "stats.json") != "old" {
		t.Errorf("the command did not start, and of %q there is left %q", before, now)
	}
	opt.Force = true
	for _, name := range []string{"run/notes.txt", "run/mine/data.sqlite", "run/later.sqlite", "run/.hidden"} {
		write(t, name, "precious", 0o644)
		if _, err := s.run(opt); err == nil || !strings.Contains(err.Error(), "these are not of it: "+strings.TrimPrefix(name, "run/")+";") || read(t, name) != "precious" {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("run", "link"); err != nil {
		t.Fatal(err)
	}
	opt.Report = "link"
	if _, err := s.run(opt); err != nil {
		t.Fatal(err)
	}
	if now, _ := filepath.Glob("run/rec-*.reel"); len(now) != 1 || now[0] == before[0] {
		t.Errorf("%q was to replace %q", now, before)
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
	t.Chdir("run")
	opt.Report = "."
	if _, err := s.run(opt); err == nil || !strings.Contains(err.Error(), "holds the working folder") {
		t.Error(err)
	}
}

// TestStatsExist: statistics are written over a file with force only, and the command
// does not run for nothing.
func TestStatsExist(t *testing.T) {
	s := newScene(t, "say")
	write(t, "s.json", "old", 0o644)
	opt := Options{Argv: []string{"say", "0"}, Stats: "s.json", Report: "run"}
	if _, err := s.run(opt); err == nil || err.Error() != "--stats-path s.json exists; --force overwrites it" || s.out.Len() > 0 || exists("run") {
		t.Error(err)
	}
	opt.Stats, opt.Force = t.TempDir(), true
	if _, err := s.run(opt); err == nil || !strings.HasSuffix(err.Error(), " is a folder") {
		t.Error(err)
	}
	opt.Stats, opt.Backend = "s.json", Plain{} // which asks for none
	if _, err := s.run(opt); err != nil || read(t, "s.json") != "old" {
		t.Error(err)
	}
	opt.Backend = nil
	if r, err := s.run(opt); err != nil || len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "no statistics were written to s.json") {
		t.Errorf("an old file passes for statistics: %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}
