//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// ownGroup has a command run in a process group of its own, which the terminal's
// Ctrl-C does not reach.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
