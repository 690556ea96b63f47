package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/synth"
)

// TestMergeGivesTheSameBytes: one machine, partial summaries in any order, and a
// tree of merges say the same.
func TestMergeGivesTheSameBytes(t *testing.T) {
	folder(t)
	var traces, parts []string
	for r := range 4 {
		trace := made(t, fmt.Sprintf("rank%d.json", r), synth.Options{Seed: uint64(r), Rank: r, WorldSize: 4, Steps: 3, Layers: 1, Python: true, Collectives: true})
		part := fmt.Sprintf("part%d", 3-r)
		good(t, "summarize", trace, "-o", part)
		traces, parts = append(traces, trace), append(parts, part)
	}
	for _, form := range []string{"json", "text", "csv", "markdown"} {
		want := good(t, append([]string{"summary", "--format", form}, traces...)...)
		same := func(how string, args ...string) {
			t.Helper()
			if got := good(t, append([]string{args[0], "--format", form}, args[1:]...)...); got != want {
				t.Errorf("%s as %s differs:\n%s\nwant\n%s", how, form, got, want)
			}
		}
		same("another order", "summary", traces[2], traces[0], traces[3], traces[1])
		same("a folder", "summary", ".")
		same("partial summaries", append([]string{"merge"}, parts...)...)
		good(t, "merge", "-o", "left", "--force", parts[3], parts[0])
		good(t, "merge", "-o", "right", "--force", parts[1], parts[2])
		same("a tree", "merge", "right", "left")
	}
	good(t, append([]string{"summarize", "-o", "all"}, traces...)...)
	good(t, append([]string{"merge", "-o", "merged"}, parts...)...)
	if a, b := read(t, "all"), read(t, "merged"); a != b {
		t.Error("summarize of all files and merge of each differ")
	}
}

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestOutputFiles: whole or not at all, and nothing is overwritten unasked.
func TestOutputFiles(t *testing.T) {
	trace := tiny(t)
	folder(t)
	write(t, "out/there", "mine")
	if r := reel(t, "summarize", trace, "-o", "out/there"); r.code != 1 || read(t, "out/there") != "mine" {
		t.Errorf("exit %d, %s; the file holds %.20q", r.code, r.err, read(t, "out/there"))
	}
	if r := reel(t, "summarize", "absent", "-o", "out/new"); r.code != 1 {
		t.Errorf("exit %d", r.code)
	}
	good(t, "summarize", trace, "-o", "out/there", "--force")
	if !strings.HasPrefix(read(t, "out/there"), `{"schema":"reel.partial/1"`) {
		t.Errorf("the file holds %.60q", read(t, "out/there"))
	}
	good(t, "summarize", trace, "-o", os.DevNull, "--force")
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Errorf("%s was replaced", os.DevNull)
	}
	if r := reel(t, "summarize", trace, "-o", "absent/out"); r.code != 1 || !strings.Contains(r.err, "no such file or directory") {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
	err := createFile("out/broken", false, func(w io.Writer) error {
		_, _ = w.Write([]byte("half"))
		return fmt.Errorf("no more")
	})
	if err == nil {
		t.Error("want the writer's error")
	}
	files, err := filepath.Glob("out/*")
	hidden, _ := filepath.Glob("out/.*")
	if err != nil || len(files) != 1 || len(hidden) != 0 {
		t.Errorf("left behind: %v %v", files, hidden)
	}
}
