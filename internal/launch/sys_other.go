//go:build !unix

package launch

import (
	"os"
	"os/exec"
	"syscall"
)

func forwarded() []os.Signal { return []os.Signal{os.Interrupt} }

const childEnded = syscall.Signal(0)

func fromTerminal(s os.Signal) bool { return s == os.Interrupt }

func terminal() *os.File { return nil }

func inFront(*os.File) bool { return false }

func ownGroup(*exec.Cmd) {}

func thisGroup() int { return 0 }

func kill(pid int, s os.Signal) error {
	p, err := os.FindProcess(max(pid, -pid))
	if err != nil {
		return err
	}
	return p.Signal(s)
}

func groupLives(int) bool { return false }

func ended(st *os.ProcessState) (code int, sig string) {
	if st == nil {
		return 1, ""
	}
	return st.ExitCode(), ""
}

func signalName(s os.Signal) string { return s.String() }
