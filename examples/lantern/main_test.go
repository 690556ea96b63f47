package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme runs the README's block and compares what it prints.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for line := range strings.Lines(string(text)) {
		if line, ok := strings.CutPrefix(line, "    "); ok && !strings.HasPrefix(line, "$ ") {
			want.WriteString(line)
		}
	}
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	if err := run(context.Background(), nil, &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != want.String() {
		t.Errorf("it prints\n%s\nthe README says\n%s", out.String(), want.String())
	}
	if files, _ := filepath.Glob("perf/lantern-*/trace_rank0.json"); len(files) != 1 {
		t.Errorf("traces: %v", files)
	}
}
