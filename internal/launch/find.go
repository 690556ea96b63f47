package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// NotFound says that a program is not there: the command, or nsys. Nothing was
// created.
type NotFound struct{ Message string }

func (e *NotFound) Error() string { return e.Message }

// Misuse says that options do not go together. Nothing was created.
type Misuse struct{ Message string }

func (e *Misuse) Error() string { return e.Message }

func misusef(format string, args ...any) error { return &Misuse{fmt.Sprintf(format, args...)} }

// findCommand returns the path of the command.
func findCommand(name string, e *environ) (string, error) {
	path, err := lookPath(name, e)
	if err == nil {
		return path, nil
	}
	hint := ""
	switch base := program(name); {
	case base == "flashdreams-run-v2":
		hint = "; in its project it starts with 'uv run reel profile -- flashdreams-run-v2 …' after 'uv sync'"
	case python.MatchString(base), base == "torchrun", base == "vllm":
		hint = "; activate the environment that has it, or name it by its path"
	}
	if name == "" {
		name = `""`
	}
	return "", &NotFound{fmt.Sprintf("%s: %s%s", name, reason(err), hint)}
}

func reason(err error) string {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "not found on PATH"
	case errors.Is(err, os.ErrNotExist):
		return "no such file"
	case errors.Is(err, os.ErrPermission):
		return "not executable"
	}
	return err.Error()
}

// lookPath is exec.LookPath with the PATH that the command will have.
func lookPath(name string, e *environ) (string, error) {
	if name == "" {
		return "", exec.ErrNotFound
	}
	if strings.ContainsRune(name, os.PathSeparator) {
		return name, executable(name)
	}
	for _, dir := range filepath.SplitList(e.get("PATH")) {
		if dir == "" {
			continue // the working folder: not searched, as by the go command
		}
		if path := filepath.Join(dir, name); executable(path) == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// executable is nil for a regular file that may be executed: neither a folder nor
// a data file of the name shadows the program.
func executable(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return os.ErrPermission
	case st.Mode()&0o111 == 0:
		return os.ErrPermission
	}
	return nil
}

// noNsys is the sentence for a machine without Nsight Systems.
func noNsys(name string) error {
	return &NotFound{fmt.Sprintf("%s not found on PATH; install Nsight Systems (https://developer.nvidia.com/nsight-systems), or name it: --nsys=/opt/nvidia/nsight-systems/VERSION/bin/nsys. "+
		"Without it 'reel profile' still records programs that use Reel's recorder or its Python client; leave out --nsys", name)}
}
