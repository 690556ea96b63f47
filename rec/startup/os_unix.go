//go:build unix

package startup

import "syscall"

// faults are the page faults of a process since it began.
type faults struct {
	minor, major int64
	known        bool
}

func readFaults() (f faults) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
		f = faults{int64(u.Minflt), int64(u.Majflt), true}
	}
	return f
}

// hadChildren reports whether the process had others that have ended.
func hadChildren() bool {
	var u syscall.Rusage
	return syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) == nil && u.Maxrss > 0
}
