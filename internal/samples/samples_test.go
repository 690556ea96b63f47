package samples

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSharedFollowsTheVariable(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Variable, dir)
	if got := Shared(t); got != dir {
		t.Errorf("Shared = %s, want %s", got, dir)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := File(t, "a.json"); got != filepath.Join(dir, "a.json") {
		t.Errorf("File = %s", got)
	}
}

func TestSharedSkipsWhenAbsent(t *testing.T) {
	t.Setenv(Variable, filepath.Join(t.TempDir(), "none"))
	var inner *testing.T
	t.Run("skips", func(t *testing.T) {
		inner = t
		Shared(t)
		t.Error("went on without samples")
	})
	if !inner.Skipped() {
		t.Error("want a skip")
	}
}

func TestSharedStandsBesideTheRepository(t *testing.T) {
	t.Setenv(Variable, "")
	root := filepath.Join(t.TempDir(), "repo")
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	got, err := find()
	if want := filepath.Join(filepath.Dir(root), "shared", "data"); err != nil || got != want {
		t.Errorf("find = %s, %v; want %s", got, err, want)
	}
}
