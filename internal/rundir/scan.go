package rundir

import (
	"io/fs"
	"path"
	"strings"
)

// Bounds of a scan: a folder that holds more is no run folder.
const (
	maxScanned = 10_000
	maxDepth   = 4
)

// Scan lists the files that lie in the folder and below it, whoever wrote them,
// and returns the list: what they are is told by their names. Files whose names
// begin with a dot and run.json are Reel's own notes and left out.
func (f *Folder) Scan() []Artifact {
	seen := 0
	_ = fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error { // what cannot be read is left out
		switch {
		case err != nil || name == ".":
			return nil
		case strings.HasPrefix(d.Name(), ".") || d.IsDir() && strings.Count(name, "/")+1 >= maxDepth:
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || name == RunFile:
			return nil
		}
		if seen++; seen > maxScanned {
			return fs.SkipAll
		}
		kind, role := KindOf(name)
		_ = f.Register(name, kind, role) // links and what is gone again are left out
		return nil
	})
	return f.Artifacts()
}

// KindOf tells from a file's name what it is, and whether it was recorded.
func KindOf(name string) (Kind, Role) {
	name = strings.ToLower(path.Base(name))
	has := func(prefix string, suffixes ...string) bool {
		for _, s := range suffixes {
			if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, s) {
				return true
			}
		}
		return false
	}
	switch {
	case has("", ".reel"):
		return Recording, Source
	case has("", ".nsys-rep", ".qdrep", ".qdstrm"):
		return NsysReport, Source
	case has("", ".sqlite"):
		return NsysExport, Source
	case has("ops_", ".xlsx"):
		return Ops, Derived
	case has("stacks_cpu", ".txt"):
		return StacksCPU, Derived
	case has("stacks_cuda", ".txt"):
		return StacksCUDA, Derived
	case has("memory_snapshot", ".pickle"):
		return Memory, Source
	case has("profiler_out", ".txt"):
		return ProfilerOut, Derived
	case has("stats", ".json"):
		return Stats, Source
	case strings.Contains(name, ".reel.json"), strings.Contains(name, ".speedscope.json"):
		return Trace, Derived
	case has("trace", ".json", ".json.gz", ".json.zst"), has("", ".pt.trace.json", ".pt.trace.json.gz"):
		return Trace, Source
	}
	return Other, Derived
}
