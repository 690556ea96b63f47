//go:build unix

package rec

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"reel/reelfile"
)

// TestSaveOn has a signal save a flight recorder, twice, while it goes on.
func TestSaveOn(t *testing.T) {
	dir := t.TempDir()
	r, err := Open(filepath.Join(dir, "run.reel"), Options{Mode: reelfile.Flight, Log: quietLog})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	saved := make(chan string)
	stop := r.SaveOn(func(path string, err error) { saved <- path + errorText(err) }, syscall.SIGUSR1)
	for k := range 2 {
		r.Mark(context.Background(), "something happened")
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		path := <-saved
		want(t, "copy", filepath.Base(path), []string{"run-saved-1.reel", "run-saved-2.reel"}[k])
		if n := len(events(t, path)); n != k+1 {
			t.Errorf("%s: %d marks, want %d", path, n, k+1)
		}
	}
	stop()
	want(t, "files", strings.Join(files(t, dir), " "), "run-saved-1.reel run-saved-2.reel run.reel")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// TestSaveOnVariable reads the trigger from the environment, and lists the copy in the
// run's note.
func TestSaveOnVariable(t *testing.T) {
	dir := t.TempDir()
	w, log, err := fromEnv(t, EnvOptions{}, map[string]string{EnvRecord: "1", "REEL_RUN_DIR": dir, EnvMode: "flight", EnvSaveOn: "SIGUSR2"})
	if err != nil {
		t.Fatal(err)
	}
	if path, err := w.Recording().saveBeside(); err != nil || !strings.Contains(path, "-saved-1.reel") {
		t.Errorf("%s, %v", path, err)
	}
	if err := w.Shutdown(); err != nil || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("%v, %s", err, log)
	}
	if _, err := w.Recording().saveBeside(); err != ErrNotRecording {
		t.Errorf("behind the end: %v", err)
	}
	if _, _, err := fromEnv(t, EnvOptions{}, map[string]string{EnvRecord: dir + "/x.reel", EnvSaveOn: "KILL"}); err == nil || !strings.Contains(err.Error(), EnvSaveOn+`="KILL"`) {
		t.Errorf("another signal: %v", err)
	}
}
