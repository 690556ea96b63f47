package nsys

// A globalTid is 8 bits hardware, 8 bits virtual machine, 24 bits process, 24 bits
// thread; a globalPid is the same without the thread.
func pidOf(global int64) int64 { return int64(uint64(global) >> 24 & 0xffffff) }

func tidOf(global int64) int64 { return global & 0xffffff }

// isHost reports whether a globalPid is not of a process of the target: diagnostics of
// the machine that controls the session carry a negative one.
func isHost(global int64) bool { return global < 0 }
