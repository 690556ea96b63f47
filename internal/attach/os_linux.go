package attach

import (
	"bytes"
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

// alive reports whether a process runs. One that has ended and that its parent has not
// asked after does not, though the system lists it.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	end := bytes.LastIndexByte(stat, ')') // of its name, which may hold anything; the state follows
	return end < 0 || end+2 >= len(stat) || stat[end+2] != 'Z' && stat[end+2] != 'X'
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
