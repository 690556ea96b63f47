// Package rundir keeps run folders: the folder that one session, or one launched
// command, leaves, shared by all ranks. It makes the folder once, gives files
// their place in it without ever overwriting one, and writes run.json.
//
// It knows no profiler, no trace format and no HTTP, and imports the standard
// library alone.
package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// EnvDir is the variable by which a parent tells every rank its run folder.
const EnvDir = "REEL_RUN_DIR"

// DefaultRoot is the folder that holds run folders unless another is given.
const DefaultRoot = "artifacts/profiles"

// stampForm is the time in a folder's name, local time as the user's clock shows.
const stampForm = "20060102-150405"

// Folder is a run folder, or a rank's view of one. Its methods are safe for
// concurrent use.
type Folder struct {
	path string
	root *os.Root
	made bool   // by this Folder
	top  string // the topmost folder above it that was made with it; "" when all were there

	mu    sync.Mutex
	files []Artifact
	next  int // id of the next artifact
}

// Name returns the name of a run folder: <app>-<YYYYmmdd-HHMMSS>-<pid>. What does
// not belong into a file name is replaced, an empty app is "run".
func Name(app string, at time.Time, pid int) string {
	return fmt.Sprintf("%s-%s-%d", Slug(app), at.Format(stampForm), pid)
}

// Slug makes a file name of s: letters, digits, dots, underscores and hyphens.
func Slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s, "-."); s == "" {
		return "run"
	}
	return s[:min(len(s), 80)]
}

// Create makes a folder of its own named name under root, and root's parents. A
// folder of that name is left alone: the new one is then name-2, name-3, ….
func Create(root, name string) (*Folder, error) {
	top := missing(root)
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("make the run folder: %w", err)
	}
	for n := 1; n <= maxTries; n++ {
		path := filepath.Join(root, numbered(name, "", n))
		err := os.Mkdir(path, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("make the run folder: %w", err)
		}
		return open(path, true, top)
	}
	return nil, fmt.Errorf("make the run folder: %s and %d like it exist", filepath.Join(root, name), maxTries-1)
}

// maxTries bounds the search for a free name.
const maxTries = 10_000

// Join opens the folder path that all ranks share, making it when this rank is
// the first to come. What other ranks have written there stays.
func Join(path string) (*Folder, error) {
	top := missing(filepath.Dir(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("make the run folder: %w", err)
	}
	err := os.Mkdir(path, 0o777)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the run folder: %w", err)
	}
	return open(path, err == nil, top)
}

// missing is the topmost folder of path that does not exist, absolute; "" when all do.
func missing(path string) (top string) {
	path, err := filepath.Abs(path)
	for err == nil {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		top, path = path, filepath.Dir(path)
	}
	return top
}

func open(path string, made bool, top string) (*Folder, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the run folder: %w", err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open the run folder: %w", err)
	}
	return &Folder{path: abs, root: root, made: made, top: top, next: 1}, nil
}

// Path returns the folder's absolute path.
func (f *Folder) Path() string { return f.path }

// Close releases the folder. Artifacts can still be listed and opened.
func (f *Folder) Close() error { return f.root.Close() }

// Abandon closes the folder and removes it when it is empty and this Folder made
// it, as of a session that was called off before it recorded; so it does those above it
// that were made for it.
func (f *Folder) Abandon() error {
	err := f.root.Close()
	if !f.made {
		return err
	}
	if rm := os.Remove(f.path); rm != nil && !notEmpty(f.path) {
		return errors.Join(err, rm)
	}
	if f.top == "" {
		return err
	}
	for dir := filepath.Dir(f.path); len(dir) >= len(f.top); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil { // another run came meanwhile
			break
		}
	}
	return err
}

func notEmpty(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) > 0
}

// suffixes are those that count as one.
var suffixes = []string{".json.gz", ".json.zst", ".txt.gz", ".pb.gz", ".tar.gz"}

// Split cuts name into stem and suffix; ".json.gz" is one suffix.
func Split(name string) (stem, suffix string) {
	for _, s := range suffixes {
		if stem, ok := strings.CutSuffix(name, s); ok && stem != "" && !strings.HasSuffix(stem, "/") {
			return stem, s
		}
	}
	suffix = filepath.Ext(name)
	return strings.TrimSuffix(name, suffix), suffix
}

func numbered(stem, suffix string, n int) string {
	if n > 1 {
		stem = fmt.Sprintf("%s-%d", stem, n)
	}
	return stem + suffix
}
