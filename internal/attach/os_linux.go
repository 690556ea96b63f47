package attach

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// passCredentials has the system tell who sent a datagram: pids in messages are those
// of the sender's own namespace.
func passCredentials(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) { set = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_PASSCRED, 1) })
	if err == nil {
		err = set
	}
	return err
}

// senderOf is the pid of who sent a datagram, 0 when the system does not tell.
func senderOf(oob []byte) int {
	msgs, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return 0
	}
	for i := range msgs {
		if c, err := syscall.ParseUnixCredentials(&msgs[i]); err == nil {
			return int(c.Pid)
		}
	}
	return 0
}

// alive reports whether a process runs.
func alive(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err == nil
}

// Environ is the environment that a process was started with; it can be read of one's
// own processes.
func Environ(pid int) (map[string]string, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return nil, err
	}
	return environment(data), nil
}
