package launch

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
// what stands before it: by its name, or by the first line of a script.
func pythonCommand(argv []string, env *environ) (args []string, ok bool) {
	if argv = unwrapped(argv); len(argv) == 0 {
		return nil, false
	}
	if python.MatchString(program(argv[0])) {
		return argv[1:], true
	}
	by := unwrapped(shebang(argv[0], env))
	if len(by) == 0 || !python.MatchString(program(by[0])) {
		return nil, false
	}
	return append(by[1:], argv...), true
}

// unwrapped is the command without the programs around it.
func unwrapped(argv []string) []string {
	for len(argv) > 0 {
		w, wrapped := wrappers[program(argv[0])]
		if !wrapped {
			break
		}
		argv = w.skip(argv[1:])
	}
	return argv
}

// shebang is the command by which a script says that it is run; nil for what is none.
func shebang(name string, env *environ) []string {
	path, err := lookPath(name, env)
	if err != nil {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head) // scripts may be shorter
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return nil
	}
	by := strings.Fields(rest)
	if len(by) > 1 && program(by[0]) == "env" { // whose -S has a whole command
		if rest, ok := strings.CutPrefix(by[1], "-S"); ok && rest == "" {
			by = slices.Delete(by, 1, 2)
		} else if ok {
			by[1] = rest
		}
	}
	return by
}

// isolation names the flags by which a Python ignores what its environment says.
func isolation(argv []string, env *environ) string {
	args, ok := pythonCommand(argv, env)
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
