//go:build unix

package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// places makes the folder of temporary files a short one of the test's own, and
// returns it.
func places(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	t.Setenv("XDG_RUNTIME_DIR", "")
	return dir
}

// TestLocal serves by pid, in both places, and finds the process there.
func TestLocal(t *testing.T) {
	for _, xdg := range []bool{false, true} {
		dir := places(t)
		folder := filepath.Join(dir, fmt.Sprintf("reel-%d", os.Getuid()))
		if xdg {
			runtime := filepath.Join(dir, "run")
			if err := os.Mkdir(runtime, 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("XDG_RUNTIME_DIR", runtime)
			folder = filepath.Join(runtime, "reel")
		}
		if list, err := Processes(); len(list) != 0 || err != nil {
			t.Fatalf("before: %v, %v", list, err)
		}
		c, _ := rig(t, Config{}, nil)
		ctx, cancel := context.WithCancel(context.Background())
		l, err := ListenLocal()
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- Serve(ctx, l, c, "") }()

		path := filepath.Join(folder, fmt.Sprintf("%d.sock", os.Getpid()))
		for name, mode := range map[string]os.FileMode{folder: 0o700, path: 0o600} {
			if info, err := os.Lstat(name); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
		list, err := Processes()
		if err != nil || len(list) != 1 || list[0] != (Process{os.Getpid(), "unix:" + path}) {
			t.Errorf("%v, %v", list, err)
		}
		client, err := DialPID(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		st, err := client.Status(context.Background())
		if err != nil || st.PID != os.Getpid() || st.App != "paint" {
			t.Errorf("%+v, %v", st, err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := DialPID(os.Getpid()); !errors.Is(err, ErrNoProcess) {
			t.Errorf("behind the end: %v", err)
		}
	}
}

// TestServeLocal is the one call that a program makes.
func TestServeLocal(t *testing.T) {
	places(t)
	c, _ := rig(t, Config{}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := ServeLocal(ctx, c); err != nil {
		t.Error(err)
	}
}

// TestStale removes the sockets of processes that were killed, and nothing else.
func TestStale(t *testing.T) {
	folder := filepath.Join(places(t), fmt.Sprintf("reel-%d", os.Getuid()))
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(folder, "4711.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	others := []string{"4712.sock", "note.txt", "x.sock"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := Processes(); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := os.Lstat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stale socket is there: %v", err)
	}
	for _, name := range others {
		if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestForeignFolder trusts no folder that others can enter, and no link.
func TestForeignFolder(t *testing.T) {
	for name, make := range map[string]func(folder string) error{
		"others may enter it": func(folder string) error { return errors.Join(os.Mkdir(folder, 0o700), os.Chmod(folder, 0o755)) },
		"no symbolic link": func(folder string) error {
			return errors.Join(os.Mkdir(folder+"-real", 0o700), os.Symlink(folder+"-real", folder))
		},
		"want a folder": func(folder string) error { return os.WriteFile(folder, nil, 0o600) },
	} {
		if err := make(filepath.Join(places(t), fmt.Sprintf("reel-%d", os.Getuid()))); err != nil {
			t.Fatal(err)
		}
		if l, err := ListenLocal(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: listen %v, %v", name, l, err)
		}
		if list, err := Processes(); err == nil || !strings.Contains(err.Error(), name) || len(list) != 0 {
			t.Errorf("%s: list %v, %v", name, list, err)
		}
	}
	long := filepath.Join(places(t), strings.Repeat("long", 30))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	if _, err := ListenLocal(); err == nil || !strings.Contains(err.Error(), "too long for a socket") {
		t.Errorf("a long path: %v", err)
	}
	t.Setenv("TMPDIR", "/nowhere")
	if _, err := ListenLocal(); err == nil {
		t.Error("a socket in a folder that is not there")
	}
}
