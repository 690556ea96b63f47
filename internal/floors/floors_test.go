package floors

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"reel/internal/samples"
)

// TestHouse checks this module.
func TestHouse(t *testing.T) {
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	h, err := load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(h.sources) < 20 {
		t.Fatalf("only %d Go files found; the check sees too little", len(h.sources))
	}
	for _, fault := range h.check() {
		t.Error(fault)
	}
}

// tree makes a small sound house and changes it: each pair is a file and its
// content.
func tree(changes ...string) fstest.MapFS {
	files := fstest.MapFS{}
	base := []string{
		"go.mod", "module m\n\ngo 1.26\n\nrequire (\n\tx.org/zip v1.2.0\n\ty.org/deep v0.1.0 // indirect\n)\n",
		"DEPENDENCIES.md", "## Modules\n\n| module | version |\n| --- | --- |\n| `x.org/zip` | v1.2.0 | MIT | `internal/zip` | reads |\n\n## Tools\n\n| `z.org/lint` | v1 | MIT | make | x |\n",
		"internal/floors/floors.txt", "2 cmd/a # the program\n1 mid\n1 read/...\n0 internal/zip\n0 internal/test\nstd mid\n",
		"cmd/a/main.go", "package main\nimport \"m/mid\"\nimport \"fmt\"\n",
		"mid/mid.go", "package mid\nimport \"strings\"\n",
		"mid/mid_test.go", "package mid\nimport \"m/internal/test\"\n",
		"mid/out_test.go", "package mid_test\nimport (\n\t\"m/mid\"\n\t\"m/cmd/a\"\n)\n",
		"read/one/one.go", "package one\nimport \"m/internal/zip\"\n",
		"internal/test/t.go", "package test\n",
		"internal/zip/zip.go", "package zip\nimport z \"x.org/zip/flate\"\n",
		"mid/testdata/bad.go", "package bad\nimport \"m/cmd/a\"\n",
		"other/go.mod", "module other\n",
		"other/o.go", "package o\nimport \"q.org/any\"\n",
	}
	for all := append(base, changes...); len(all) > 0; all = all[2:] {
		files[all[0]] = &fstest.MapFile{Data: []byte(all[1])}
	}
	return files
}

// TestCheckFindsFaults breaks the small house in each way that the check is for.
func TestCheckFindsFaults(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []string
		want    string // faults, joined by "; "
	}{
		{"sound", nil, ""},
		{"upwards", []string{"internal/zip/up.go", "package zip\nimport \"m/mid\"\n"},
			"internal/zip/up.go (floor 0) imports mid (floor 1)"},
		{"sideways", []string{"mid/side.go", "package mid\nimport \"m/read/one\"\n"},
			"mid must build with the standard library alone, but internal/zip imports x.org/zip/flate; mid/side.go (floor 1) imports read/one (floor 1)"},
		{"sideways under one pattern", []string{"read/two/two.go", "package two\nimport \"m/read/one\"\n"},
			"read/two/two.go (floor 1) imports read/one (floor 1)"},
		{"upwards in a test", []string{"mid/up_test.go", "package mid\nimport _ \"m/cmd/a\"\n"},
			"mid/up_test.go (floor 1) imports cmd/a (floor 2)"},
		{"unlisted", []string{"new/n.go", "package n\n"}, "new is not listed in floors.txt"},
		{"second importer", []string{"read/one/z.go", "package one\nimport \"x.org/zip\"\n"},
			"x.org/zip is imported by several packages: internal/zip, read/one"},
		{"wrong importer", []string{"internal/zip/zip.go", "package zip\n", "read/one/z.go", "package one\nimport \"x.org/zip\"\n"},
			"DEPENDENCIES.md says that internal/zip imports x.org/zip, but read/one does"},
		{"unknown module", []string{"read/one/z.go", "package one\nimport \"w.org/w/v2\"\n"}, "w.org/w/v2 is not in DEPENDENCIES.md"},
		{"not in the ledger", []string{"DEPENDENCIES.md", "## Modules\n"}, "x.org/zip is not in DEPENDENCIES.md"},
		{"stale version", []string{"go.mod", "module m\nrequire x.org/zip v1.3.0\n"}, "DEPENDENCIES.md has x.org/zip v1.2.0, go.mod v1.3.0"},
		{"stale row", []string{"go.mod", "module m\n", "internal/zip/zip.go", "package zip\n"},
			"x.org/zip is in DEPENDENCIES.md but no direct requirement of go.mod"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := load(tree(c.changes...))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(h.check(), "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range [][2]string{
		{"internal/floors/floors.txt", "1 a b\n"},
		{"internal/floors/floors.txt", "first mid\n"},
		{"mid/broken.go", "package mid\nimport ("},
	} {
		if _, err := load(tree(c[0], c[1])); err == nil {
			t.Errorf("%s with %q must be an error", c[0], c[1])
		}
	}
	if _, err := load(fstest.MapFS{}); err == nil {
		t.Error("an empty folder must be an error")
	}
}
