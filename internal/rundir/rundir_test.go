package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func folder(t *testing.T) *Folder {
	t.Helper()
	f, err := Create(t.TempDir(), "run")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t *testing.T, f *Folder, name, text string) string {
	t.Helper()
	w, err := f.Create(name, Trace, Derived)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if _, err := w.WriteString(text); err != nil {
		t.Fatal(err)
	}
	at, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestNames(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 5, 7, 0, time.Local)
	for app, want := range map[string]string{"paint": "paint-20260301-090507-42", "../my app": "my-app-20260301-090507-42", "": "run-20260301-090507-42", "Wan2.2/I2V": "Wan2.2-I2V-20260301-090507-42"} {
		if got := Name(app, at, 42); got != want {
			t.Errorf("%q: %s, want %s", app, got, want)
		}
	}
	for name, want := range map[string][2]string{"trace.json.gz": {"trace", ".json.gz"}, "a/b.txt": {"a/b", ".txt"}, ".json.gz": {".json", ".gz"}, "x": {"x", ""}} {
		if stem, suffix := Split(name); stem != want[0] || suffix != want[1] {
			t.Errorf("%s: %q %q", name, stem, suffix)
		}
	}
}

// A folder is made once, or joined by all ranks; one that exists is never taken.
func TestCreateJoin(t *testing.T) {
	root := t.TempDir() + "/deep/er"
	seen := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			f, err := Create(root, "run")
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			mu.Lock()
			defer mu.Unlock()
			if seen[f.Path()] {
				t.Errorf("%s was given twice", f.Path())
			}
			seen[f.Path()] = true
		})
	}
	wg.Wait()
	if !seen[filepath.Join(root, "run-20")] {
		t.Error(seen)
	}
	a, err := Join(root + "/shared")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Join(root + "/shared")
	if err != nil || a.Path() != b.Path() {
		t.Fatal(err)
	}
	if err := b.Abandon(); err != nil { // it did not make it
		t.Fatal(err)
	}
	if _, err := os.Stat(a.Path()); err != nil {
		t.Error(err)
	}
	if err := a.Abandon(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(a.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(root); err != nil {
		t.Errorf("a folder that was there is gone: %v", err)
	}
}

// TestAbandon: a run that was called off takes with it the folders that were made for it,
// and no others.
func TestAbandon(t *testing.T) {
	fresh := t.TempDir() + "/new"
	c, err := Create(fresh+"/a/b", "run")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Create(fresh+"/a", "other")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Abandon(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(fresh + "/a"); len(entries) != 1 { // what was made for c is gone, d stays
		t.Errorf("%v", entries)
	}
	if err := d.Abandon(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(fresh); err != nil { // it was c that made it
		t.Error(err)
	}
	if c, err = Join(fresh + "2/a/run"); err != nil {
		t.Fatal(err)
	}
	if err := c.Abandon(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(fresh + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("folders that were made for a run are left: %v", err)
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	f := folder(t)
	if err := os.WriteFile(f.Path()+"/trace.json.gz", []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if at := put(t, f, "trace.json.gz", "new"); at != "trace-2.json.gz" {
		t.Error(at)
	}
	put(t, f, "sub/folder/x.json", "x")
	if old, _ := os.ReadFile(f.Path() + "/trace.json.gz"); string(old) != "old" {
		t.Errorf("%s", old)
	}
	w, err := f.Create("half.json", Trace, Derived)
	if err != nil {
		t.Fatal(err)
	}
	w.Discard()
	w.Discard()
	if _, err := w.Commit(); err == nil {
		t.Error("a discarded file is committed")
	}
	for _, bad := range []string{"../x", "/etc/x", "", "a/../../x", "dir/"} {
		if _, err := f.Create(bad, Trace, Source); err == nil {
			t.Errorf("Create(%q) has no error", bad)
		}
	}
	list := f.Artifacts()
	if len(list) != 2 || list[0].Path != "trace-2.json.gz" || list[0].Size != 3 || list[1].Path != "sub/folder/x.json" {
		t.Error(list)
	}
	entries, _ := os.ReadDir(f.Path())
	if len(entries) != 3 {
		t.Error("left over:", entries)
	}
}

func TestArtifactsAreThoseThatExist(t *testing.T) {
	f := folder(t)
	rec := filepath.Join(f.Path(), "rec-0-1.reel")
	if err := os.WriteFile(rec, []byte("123"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Register("rec-0-1.reel", Recording, Source); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Register("none", Recording, Source); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.WriteFile(rec, []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list := f.Artifacts(); len(list) != 1 || list[0].Size != 5 || list[0].Viewer != "reel view" {
		t.Error(list)
	}
	file, a, err := f.Open("1")
	if err != nil || a.Role != Source {
		t.Fatal(a, err)
	}
	file.Close()
	if _, _, err := f.Open("2"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.Remove(rec); err != nil {
		t.Fatal(err)
	}
	if list := f.Artifacts(); len(list) != 0 {
		t.Error(list)
	}
}

// Ranks write at the same time, each over its own view of the folder; run.json
// ends with all of them.
func TestRanksAgree(t *testing.T) {
	path := t.TempDir() + "/run"
	const world = 8
	var wg sync.WaitGroup
	for rank := range world {
		wg.Go(func() {
			f, err := Join(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			for _, state := range []string{"recording", "done"} {
				r := Rank{Rank: rank, PID: 100 + rank, State: state}
				if rank != 5 {
					r.Coverage = []Coverage{{Asked: "window 0-4", Entered: 2, Of: 2, Unit: "loops", Events: 100, DeviceEvents: 80}}
				}
				if err := f.Write(Info{App: "paint", World: world}, r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	run, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Ranks) != world || run.Ranks[7].State != "done" || run.App != "paint" {
		t.Fatal(run)
	}
	if want := "window 0-4: entered 2 of 2 loops, 700 events, 560 device events on ranks 0–4, 6, 7; rank 5: nothing"; run.Coverage[0] != want {
		t.Errorf("got  %s\nwant %s", run.Coverage[0], want)
	}
	if len(run.Warnings) != 1 || run.Warnings[0] != "window 0-4 recorded nothing on rank 5" {
		t.Error(run.Warnings)
	}
}

func TestCoverageText(t *testing.T) {
	cov := func(entered, of int, events, device int64) []Coverage {
		return []Coverage{{Asked: "window 0-4", Entered: entered, Of: of, Unit: "loops", Events: events, DeviceEvents: device}}
	}
	for _, test := range []struct {
		ranks         []RankCoverage
		world         int
		line, warning string
	}{
		{[]RankCoverage{{0, cov(2, 2, 812, 640)}}, 0, "window 0-4: entered 2 of 2 loops, 812 events, 640 device events on rank 0", ""},
		{[]RankCoverage{{0, cov(1, 2, 8, 4)}, {1, cov(2, 3, 8, 4)}}, 3, "window 0-4: entered 1 to 2 of 2 to 3 loops, 16 events, 8 device events on ranks 0, 1; rank 2: nothing", "window 0-4 recorded nothing on rank 2"},
		{[]RankCoverage{{0, cov(0, 2, 0, 0)}}, 0, "window 0-4: nothing (0 of 2 loops)", "window 0-4 recorded nothing: it was never entered"},
		{[]RankCoverage{{0, cov(1, 1, 0, 0)}}, 0, "window 0-4: entered 1 of 1 loops, 0 events, 0 device events on rank 0", "window 0-4 was entered but holds no events"},
		{[]RankCoverage{{3, cov(1, 0, 9, 0)}}, 0, "window 0-4: entered 1 loops, 9 events, 0 device events on rank 3", "window 0-4 holds no device events"},
	} {
		lines, warnings := CoverageText(test.ranks, test.world)
		if got := strings.Join(lines, "|"); got != test.line {
			t.Errorf("got  %s\nwant %s", got, test.line)
		}
		if got := strings.Join(warnings, "|"); got != test.warning {
			t.Errorf("warning %q, want %q", got, test.warning)
		}
	}
}

func TestReadForeign(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, text := range []string{"{", "{}"} {
		if err := os.WriteFile(dir+"/run.json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil {
			t.Errorf("%s is a run", text)
		}
	}
}
