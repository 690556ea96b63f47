//go:build unix

package launch

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"unsafe"
)

// forwarded are the signals that go to the command when they come to Reel. What
// Reel was told to ignore (under nohup, say) stays ignored.
func forwarded() []os.Signal {
	var list []os.Signal
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// childEnded is the signal that a process has ended of which Reel is the parent.
const childEnded = syscall.SIGCHLD

// fromTerminal are the signals that a terminal gives to all processes in front.
func fromTerminal(s os.Signal) bool {
	return s == syscall.SIGINT || s == syscall.SIGQUIT || s == syscall.SIGHUP || s == syscall.SIGWINCH
}

// terminal is the one that this process belongs to; nil for none.
func terminal() *os.File {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return f
}

// inFront reports whether this process's group is the one that the terminal
// gives its signals to.
func inFront(tty *os.File) bool {
	var group int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return errno == 0 && int(group) == syscall.Getpgrp()
}

// ownGroup makes the command the leader of a process group of its own.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func thisGroup() int { return syscall.Getpgrp() }

// kill sends a signal to a process, or with a negative pid to a group.
func kill(pid int, s os.Signal) error {
	n, ok := s.(syscall.Signal)
	if !ok {
		return syscall.EINVAL
	}
	return syscall.Kill(pid, n)
}

// groupLives reports whether a process group has a member.
func groupLives(group int) bool { return syscall.Kill(-group, 0) == nil }

// ended returns the exit code as a shell counts it, and the signal's name.
func ended(st *os.ProcessState) (code int, sig string) {
	if st == nil {
		return 1, ""
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), signalName(ws.Signal())
	}
	return st.ExitCode(), ""
}

var signalNames = map[syscall.Signal]string{syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
	syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV",
	syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM", syscall.SIGUSR1: "SIGUSR1", syscall.SIGUSR2: "SIGUSR2",
	syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ", syscall.SIGSYS: "SIGSYS", syscall.SIGTRAP: "SIGTRAP", syscall.SIGWINCH: "SIGWINCH"}

// signalName is the name that people know a signal by.
func signalName(s os.Signal) string {
	if n, ok := s.(syscall.Signal); ok && signalNames[n] != "" {
		return signalNames[n]
	}
	return s.String()
}
