package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Each process that serves its control on this machine has a socket by its pid in a
// folder of the user's own: <pid>.sock in $XDG_RUNTIME_DIR/reel, else in
// reel-<uid> below the folder of temporary files. Nobody else can enter the folder
// (mode 0700), and neither it nor a socket is ever a symbolic link.

const socketSuffix = ".sock"

// maxSocketPath is what an address of a unix socket holds on every system.
const maxSocketPath = 103

// socketFolders are the places of the folder, the best one first. A process and
// those who look for it need not have the same environment.
func socketFolders(getenv func(string) string) []string {
	var out []string
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && owned(dir) == nil {
		out = append(out, filepath.Join(dir, "reel"))
	}
	out = append(out, filepath.Join(os.TempDir(), fmt.Sprintf("reel-%d", os.Getuid())))
	return out
}

// makeSocketFolder makes the folder, or checks the one that is there.
func makeSocketFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return private(dir)
}

// private refuses a folder that others could enter or have made.
func private(dir string) error {
	if err := owned(dir); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%s: others may enter it (mode %#o): chmod 700 it, or remove it", dir, mode)
	}
	return nil
}

// ServeLocal serves the control of c to its own user on this machine, until ctx is
// done: on a socket that is found by the process's pid (reel status, reel start
// --pid). A program calls it on a goroutine of its own.
func ServeLocal(ctx context.Context, c *Controller) error {
	l, err := ListenLocal()
	if err != nil {
		return err
	}
	return Serve(ctx, l, c, "")
}

// ListenLocal makes the process's socket, which ServeLocal listens on.
func ListenLocal() (net.Listener, error) { return listenLocal(os.Getenv) }

func listenLocal(getenv func(string) string) (net.Listener, error) {
	var faults []error
	for _, dir := range socketFolders(getenv) {
		path := filepath.Join(dir, strconv.Itoa(os.Getpid())+socketSuffix)
		err := makeSocketFolder(dir)
		if err == nil && len(path) > maxSocketPath {
			err = fmt.Errorf("%s: too long for a socket; set TMPDIR or XDG_RUNTIME_DIR to a shorter path", path)
		}
		if err == nil {
			return Listen(unixPrefix + path)
		}
		faults = append(faults, err)
	}
	return nil, fmt.Errorf("serve by pid: %w", errors.Join(faults...))
}

// Process is one that serves its control on this machine.
type Process struct {
	PID  int
	Addr string // for Dial
}

// Processes lists the processes of this user that serve by pid, in the order of
// their pids. Sockets on which nobody listens, left by processes that were killed,
// are removed. Folders that are not as they should be are left alone and named in
// the error, beside what others hold.
func Processes() ([]Process, error) { return processes(os.Getenv) }

func processes(getenv func(string) string) (list []Process, err error) {
	var faults []error
	for _, dir := range socketFolders(getenv) {
		err := private(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			faults = append(faults, err)
		}
		for _, e := range entries {
			stem, ok := strings.CutSuffix(e.Name(), socketSuffix)
			pid, err := strconv.Atoi(stem)
			path := filepath.Join(dir, e.Name())
			if !ok || err != nil || pid <= 0 || e.Type() != fs.ModeSocket || !answers(path) {
				continue
			}
			list = append(list, Process{pid, unixPrefix + path})
		}
	}
	slices.SortFunc(list, func(a, b Process) int { return cmp.Compare(a.PID, b.PID) })
	return list, errors.Join(faults...)
}

// answers reports whether somebody listens on a socket, and removes one that nobody
// does. A server puts its socket into place when it listens already, so a refusal
// says that it is gone, in whatever container it ran.
func answers(path string) bool {
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
		return true
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		_ = os.Remove(path) // or by somebody else meanwhile
		return false
	}
	return !errors.Is(err, fs.ErrNotExist) // busy is there
}

// ErrNoProcess is the error of a pid that serves no control.
var ErrNoProcess = errors.New("the process serves no control by its pid, is another user's, or is not there")

// DialPID makes a client for the process of that pid.
func DialPID(pid int) (*Client, error) {
	list, err := Processes()
	for _, p := range list {
		if p.PID == pid {
			return Dial(p.Addr)
		}
	}
	return nil, errors.Join(fmt.Errorf("process %d: %w", pid, ErrNoProcess), err)
}
