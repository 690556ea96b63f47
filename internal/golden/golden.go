// Package golden compares what a test got with a file under the package's testdata folder.
//
//	go test ./render/text -update
//
// writes the files anew; read the difference before you keep it. Only tests
// import this package.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files under testdata with what the tests got")

// Check fails t when got is not what testdata/name holds, showing the first
// lines that differ. With -update it writes the file instead.
func Check(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := write(path, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s does not exist; run the test with -update to make it from:\n%s", path, got)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := Diff(want, got); diff != "" {
		t.Errorf("%s differs (run with -update to accept):\n%s", path, diff)
	}
}

// String is Check for texts.
func String(t testing.TB, name, got string) {
	t.Helper()
	Check(t, name, []byte(got))
}

// write leaves a file alone that already holds data, so that its time stays.
func write(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// Diff shows the first line in which want and got differ, with up to five
// lines from there; it is empty when they are equal.
func Diff(want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	w, g := bytes.SplitAfter(want, []byte("\n")), bytes.SplitAfter(got, []byte("\n"))
	i := 0
	for i < len(w) && i < len(g) && bytes.Equal(w[i], g[i]) {
		i++
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "line %d:\n", i+1)
	for _, side := range []struct {
		mark  string
		lines [][]byte
	}{{"-", w}, {"+", g}} {
		for j := i; j < len(side.lines) && j < i+5; j++ {
			fmt.Fprintf(&b, "%s%q\n", side.mark, side.lines[j])
		}
	}
	return b.String()
}
