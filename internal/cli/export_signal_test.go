//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reel/internal/synth"
)

// TestEnded sends the signals that end a program while it writes to a pipe that
// nobody empties: it tells so, and leaves nothing behind.
func TestEnded(t *testing.T) {
	if os.Getenv("REEL_TEST_ENDED") != "" {
		os.Exit(Run(t.Context(), []string{"export", "trace.json", "--to", "html,perfetto", "-o", "sub"}, Std))
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		dir := t.TempDir()
		madeTrace(t, filepath.Join(dir, "trace.json"), synth.Options{Steps: 2, Layers: 1})
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, "sub", "trace_rank0.pftrace"), 0o600); err != nil {
			t.Skipf("no named pipes here: %v", err)
		}
		c := exec.Command(os.Args[0], "-test.run=^TestEnded$")
		c.Dir, c.Env = dir, append(os.Environ(), "REEL_TEST_ENDED=1")
		var errs strings.Builder
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for range 1000 { // the page is written, and waits for the trace
			if len(names(t, filepath.Join(dir, "sub"))) == 2 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		_ = c.Process.Signal(sig)
		_ = c.Wait()
		if got := names(t, filepath.Join(dir, "sub")); c.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(errs.String(), "reel export: interrupted") || len(got) != 1 {
			t.Errorf("%v: exit %d, %q, files %q", sig, c.ProcessState.ExitCode(), errs.String(), got)
		}
	}
}
