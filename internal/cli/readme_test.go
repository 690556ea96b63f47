package cli

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/golden"
	"reel/internal/samples"
)

// TestReadme runs the commands of the README and compares what they print:
// lines "    $ reel …" and, below them, the output. With -update the README gets
// the output of today.
func TestReadme(t *testing.T) {
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "README.md")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"examples"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	fresh := rerun(t, string(old))
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := golden.Diff(old, []byte(fresh)); diff != "" {
		t.Errorf("README.md differs (run with -update to accept):\n%s", diff)
	}
	for _, command := range []string{"go run ./cmd/reel summary examples/traces/tiny_dit.json.gz", "go test ./..."} {
		if !strings.Contains(fresh, "\n    "+command+"\n") {
			t.Errorf("README.md does not say %q", command)
		}
	}
}

// rerun replaces the output below each command by what the command prints.
func rerun(t *testing.T, text string) string {
	t.Helper()
	const lead = "    "
	var b strings.Builder
	skip := false
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		command, ok := strings.CutPrefix(line, lead+"$ reel ")
		switch {
		case ok:
			skip = true
			b.WriteString(line)
			for out := range strings.Lines(good(t, strings.Fields(command)...)) {
				b.WriteString(strings.TrimRight(lead+out, " \n") + "\n")
			}
			continue
		case skip && (strings.HasPrefix(line, lead) || line == "\n" && more(lines[i+1:])):
			continue
		}
		skip = false
		b.WriteString(line)
	}
	return b.String()
}

// more tells that an output goes on behind an empty line.
func more(lines []string) bool {
	for _, l := range lines {
		if l != "\n" {
			return strings.HasPrefix(l, "    ") && !strings.HasPrefix(l, "    $ ")
		}
	}
	return false
}
