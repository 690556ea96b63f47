//go:build !unix

package cli

import "os/exec"

// ownGroup has a command run in a process group of its own where there are any.
func ownGroup(*exec.Cmd) {}
