package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Kind says what an artifact is.
type Kind string

// The kinds.
const (
	Recording   Kind = "recording"    // Reel's own recording of a process
	Trace       Kind = "trace"        // Chrome trace JSON
	Ops         Kind = "ops"          // workbook of operators
	StacksCPU   Kind = "stacks-cpu"   // folded stacks by CPU time
	StacksCUDA  Kind = "stacks-cuda"  // folded stacks by device time
	Memory      Kind = "memory"       // memory snapshot
	ProfilerOut Kind = "profiler-out" // operator table as text
	NsysReport  Kind = "nsys-report"  // .nsys-rep of Nsight Systems
	NsysExport  Kind = "nsys-export"  // SQLite export of one
	Stats       Kind = "stats"        // statistics per step as JSON
	Other       Kind = "other"
)

// Viewer says what opens the artifact.
func (k Kind) Viewer() string {
	switch k {
	case Recording:
		return "reel view"
	case Trace:
		return "reel view, or https://ui.perfetto.dev"
	case Ops:
		return "a spreadsheet program"
	case StacksCPU, StacksCUDA:
		return "https://speedscope.app, or flamegraph.pl"
	case Memory:
		return "https://pytorch.org/memory_viz"
	case ProfilerOut, Stats:
		return "any text viewer"
	case NsysReport:
		return "the Nsight Systems GUI (nsys-ui)"
	case NsysExport:
		return "reel summary, reel stats"
	}
	return ""
}

// Role says whether an artifact was recorded or made from what was. Who reads a
// run folder opens sources only.
type Role string

// The roles.
const (
	Source  Role = "source"
	Derived Role = "derived"
)

// Artifact is one file of a run.
type Artifact struct {
	ID     string `json:"id"`
	Kind   Kind   `json:"kind"`
	Role   Role   `json:"role"`
	Size   int64  `json:"size_bytes"`
	Path   string `json:"path"` // below the run folder, with slashes
	Viewer string `json:"viewer,omitempty"`
}

// Register lists a file that already lies in the folder, as a recording does that
// is written in place. It may still grow: Artifacts looks at sizes anew.
func (f *Folder) Register(name string, kind Kind, role Role) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("list %q: not a path below the run folder", name)
	}
	path := filepath.ToSlash(filepath.Clean(name))
	info, err := f.root.Lstat(name)
	if err != nil {
		return fmt.Errorf("list %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("list %s: not a regular file", name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.files, func(a Artifact) bool { return a.Path == path }) {
		return nil
	}
	f.files = append(f.files, Artifact{ID: strconv.Itoa(f.next), Kind: kind, Role: role, Size: info.Size(), Path: path, Viewer: kind.Viewer()})
	f.next++
	return nil
}

// Artifacts lists the files of this rank that exist, with their present sizes.
func (f *Folder) Artifacts() []Artifact {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]Artifact, 0, len(f.files))
	for _, a := range f.files {
		info, err := os.Lstat(filepath.Join(f.path, filepath.FromSlash(a.Path)))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		a.Size = info.Size()
		out = append(out, a)
	}
	return out
}

// Open opens the artifact with the given id. No other file can be reached, not
// through a link either.
func (f *Folder) Open(id string) (*os.File, Artifact, error) {
	f.mu.Lock()
	i := slices.IndexFunc(f.files, func(a Artifact) bool { return a.ID == id })
	var a Artifact
	if i >= 0 {
		a = f.files[i]
	}
	f.mu.Unlock()
	if i < 0 {
		return nil, a, fmt.Errorf("artifact %q: %w", id, os.ErrNotExist)
	}
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, a, fmt.Errorf("artifact %s: %w", id, err)
	}
	defer root.Close()
	file, err := root.Open(filepath.FromSlash(a.Path))
	if err != nil {
		return nil, a, fmt.Errorf("artifact %s: %w", id, err)
	}
	return file, a, nil
}
