//go:build unix

package rec

import (
	"os"
	"syscall"
)

// triggers are the signals that can save a recording.
var triggers = map[string]os.Signal{"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "HUP": syscall.SIGHUP}
