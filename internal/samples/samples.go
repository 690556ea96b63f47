// Package samples finds the folder of real traces that tests compare with. The
// folder is too large for the repository and stands beside it; without it those
// tests skip. Only tests import this package.
package samples

import (
	"os"
	"path/filepath"
	"testing"
)

// Variable names the environment variable that says where the folder is.
const Variable = "REEL_SHARED_DATA"

// Shared gives the folder of samples: the value of REEL_SHARED_DATA, or else
// ../shared/data beside the folder that holds go.mod. It skips t, in one line,
// when the folder is not there.
func Shared(t testing.TB) string {
	t.Helper()
	dir, err := find()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Skipf("no sample traces: %s is no folder (%s names another)", dir, Variable)
	}
	return dir
}

// File gives the path of one sample, its name written with slashes, and skips t when it
// or the folder is not there.
func File(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Shared(t), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no sample trace %s", path)
	}
	return path
}

func find() (string, error) {
	if dir := os.Getenv(Variable); dir != "" {
		return dir, nil
	}
	root, err := Root()
	return filepath.Join(filepath.Dir(root), "shared", "data"), err
}

// Root gives the repository's root: the nearest folder with a go.mod, from the working
// folder upwards. The error is that of a working folder outside any module.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", &os.PathError{Op: "find go.mod above", Path: start, Err: os.ErrNotExist}
		}
	}
}
