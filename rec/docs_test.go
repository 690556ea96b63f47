package rec_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocs holds the code of the page and what it is quoted from together.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/profiling-a-pipeline.md")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("../examples/pipeline/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, name := range append(sources, "example_test.go", "control_test.go", "nvtx/example_test.go", "../artifacts/example_test.go") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			code.WriteString(strings.TrimSpace(line) + "\n")
		}
	}
	for block := range strings.SplitSeq(string(page), "\n\n") {
		if !strings.HasPrefix(block, "    ") || strings.HasPrefix(block, "    go present") {
			continue
		}
		var want strings.Builder
		for line := range strings.Lines(block) {
			want.WriteString(strings.TrimSpace(line) + "\n")
		}
		if !strings.Contains(code.String(), want.String()) {
			t.Errorf("no source has this block of the page:\n%s", block)
		}
	}
}
