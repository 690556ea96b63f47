package control

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// IsURI reports whether dir names a place by URI: scheme://…, with a scheme longer
// than one character, so that a drive letter is none.
func IsURI(dir string) bool {
	scheme, _, ok := strings.Cut(dir, "://")
	return ok && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\ `)
}

// localDir leaves URIs alone; it expands "~" and makes the path absolute.
func localDir(dir string) (string, error) {
	if IsURI(dir) {
		return dir, nil
	}
	if strings.ContainsRune(dir, 0) {
		return "", fmt.Errorf("want a path without a zero byte")
	}
	if strings.HasPrefix(dir, "~") {
		name, rest, _ := strings.Cut(dir[1:], "/")
		home, err := homeOf(name)
		if err != nil {
			return "", fmt.Errorf("%q has no home folder: %w", "~"+name, err)
		}
		dir = filepath.Join(home, rest)
	}
	return filepath.Abs(dir)
}

func homeOf(name string) (string, error) {
	if name == "" {
		return os.UserHomeDir()
	}
	u, err := user.Lookup(name)
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}
