package cli

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// child is reel as a process of its own.
type child struct {
	*exec.Cmd
	mu  sync.Mutex
	err bytes.Buffer
}

func (c *child) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err.Write(b)
}

// said is what it wrote to stderr so far.
func (c *child) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err.String()
}

// startReel starts reel; the test's end ends it.
func startReel(t *testing.T, args ...string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: exec.Command(exe, args...)}
	c.Env = append(os.Environ(), asReel+"=1")
	c.Stderr = c
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		_ = c.Wait()
	})
	return c
}
