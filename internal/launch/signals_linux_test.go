package launch

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// pty opens a pair of pseudo-terminal ends.
func pty(t *testing.T) (keyboard, tty *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	var unlock, n int32
	for _, c := range []struct {
		request uintptr
		to      *int32
	}{{syscall.TIOCSPTLCK, &unlock}, {syscall.TIOCGPTN, &n}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, keyboard.Fd(), c.request, uintptr(unsafe.Pointer(c.to))); errno != 0 {
			t.Skipf("no pseudo-terminals here: %v", errno)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return keyboard, tty
}

// TestTerminal presses Ctrl-C at a terminal: the command gets it once, from the
// terminal; Ctrl-C twice is got twice.
func TestTerminal(t *testing.T) {
	keyboard, tty := pty(t)
	s := launchIt(t, &syscall.SysProcAttr{Setsid: true, Setctty: true}, tty, `{"Argv":["BIN/stubborn","2"]}`)
	s.expect(t, "ready")
	for range 2 {
		if _, err := keyboard.Write([]byte{3}); err != nil {
			t.Fatal(err)
		}
		s.expect(t, "got SIGINT")
	}
	r := s.result(t)
	if r.Code != 3 || s.count("got SIGINT") != 2 || !r.Interrupt {
		t.Errorf("exit code %d, interrupted %v:\n%s", r.Code, r.Interrupt, strings.Join(s.seen, "\n"))
	}
	if s.count("reel: SIGINT: the command has it too") == 0 {
		t.Errorf("Ctrl-C is not told of:\n%s", strings.Join(s.seen, "\n"))
	}
}

func alive(pid int) bool {
	_, zombie, ok := readProc(pid)
	return ok && !zombie
}

// TestLeft: what the command leaves in its group is ended after a while; a daemon
// in a session of its own is left alone and named; after an interrupt neither is.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		args, warning string
		lives         bool
	}{
		{`"BIN/detach"`, "ended with SIGTERM what the command left running: process ", false},
		{`"BIN/detach","-session"`, "left running, in a session of their own: process ", true},
	} {
		s := launchIt(t, apart, nil, `{"Argv":[`+c.args+`],"Linger":400000000}`)
		pid, err := strconv.Atoi(s.expect(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		r := s.result(t)
		if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], c.warning+strconv.Itoa(pid)) || alive(pid) != c.lives {
			t.Errorf("%s: %q, process %d lives: %v", c.args, r.Warnings, pid, alive(pid))
		}
	}
	s := launchIt(t, apart, nil, `{"Argv":["BIN/detach","-session"],"Linger":60000000000}`)
	pid, err := strconv.Atoi(s.expect(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	s.expect(t, "reel: the command has ended and left process "+strconv.Itoa(pid)+" sleeper running")
	if err := s.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if r := s.result(t); r.Code != 0 || alive(pid) {
		t.Errorf("exit code %d, lives: %v", r.Code, alive(pid))
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) && alive(pid) {
		t.Error(err)
	}
}
