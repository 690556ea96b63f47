package launch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Client puts a producer into programs that have none of their own, such as
// Python programs: it may change the environment before the command starts.
type Client interface {
	// Prepare returns the environment with which argv starts, remarks for people,
	// and what to do when the command has ended (nil for nothing).
	Prepare(argv, env []string) (out, remarks []string, cleanup func() error, err error)
}

// PythonClient is a Client for Python: it lays the package that files holds (the
// folder "reel", and at will "sitecustomize.py") into a folder of its own and puts
// that folder on PYTHONPATH before what is there. What the interpreter is told to
// ignore is named.
type PythonClient struct {
	Files fs.FS
	Temp  string   // where the folder is made; the system's place when empty
	Env   []string // NAME=VALUE that the client is told, where the user has not set them
}

// Prepare lays out the files.
func (p PythonClient) Prepare(argv, env []string) (out, remarks []string, cleanup func() error, err error) {
	if _, err := fs.Stat(p.Files, "reel"); err != nil {
		return env, nil, nil, nil
	}
	dir, err := os.MkdirTemp(p.Temp, "reel-python-")
	if err != nil {
		return nil, nil, nil, fmt.Errorf("lay out the Python client: %w", err)
	}
	cleanup = func() error { return os.RemoveAll(dir) }
	if err := os.CopyFS(dir, p.Files); err != nil {
		return nil, nil, nil, fmt.Errorf("lay out the Python client: %w (and %w)", err, cleanup())
	}
	e := newEnviron(env)
	path := dir
	if old := e.get("PYTHONPATH"); old != "" {
		path += string(filepath.ListSeparator) + old
	}
	e.set("PYTHONPATH", path)
	for _, kv := range p.Env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			e.fill(name, value)
		}
	}
	return e.list(), nil, cleanup, nil
}

// pythonCommand returns the arguments of the interpreter that argv starts, past
// what stands before it.
func pythonCommand(argv []string) (args []string, ok bool) {
	for len(argv) > 0 {
		name := program(argv[0])
		if w, wrapped := wrappers[name]; wrapped {
			argv = w.skip(argv[1:])
			continue
		}
		return argv[1:], python.MatchString(name)
	}
	return nil, false
}

// isolation names the flags by which a Python ignores what its environment says.
func isolation(argv []string) string {
	args, ok := pythonCommand(argv)
	if !ok {
		return ""
	}
	var parts []string
	for _, c := range "IES" {
		if strings.ContainsRune(readPython(args).flags, c) {
			parts = append(parts, "-"+string(c))
		}
	}
	return strings.Join(parts, " ")
}

// isolationMeans says what each of the flags switches off.
func isolationMeans(flags string) string {
	var means []string
	if strings.Contains(flags, "-I") || strings.Contains(flags, "-E") {
		means = append(means, "PYTHONPATH is ignored")
	}
	if strings.Contains(flags, "-S") {
		means = append(means, "no site module starts the client")
	}
	return strings.Join(means, ", ")
}
