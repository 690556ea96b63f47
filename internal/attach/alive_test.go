//go:build linux

package attach

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestAlive: a process that has ended and that nobody asked after is gone.
func TestAlive(t *testing.T) {
	if !alive(os.Getpid()) || alive(1<<30) {
		t.Error("this process, or one that cannot be")
	}
	c := exec.Command("/bin/sh", "-c", "exit 0")
	if err := c.Start(); err != nil {
		t.Skip("no /bin/sh: ", err)
	}
	defer func() { _ = c.Wait() }() // until then the system lists it
	for end := time.Now().Add(time.Minute); alive(c.Process.Pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a process that has ended counts as alive")
		}
	}
}
