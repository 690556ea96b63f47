package control

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/window"
)

func TestClient(t *testing.T) {
	c, _ := rig(t, Config{}, nil)
	sock := filepath.Join(t.TempDir(), "p.sock")
	for _, addr := range []string{"unix:" + sock, "127.0.0.1:0"} {
		l, err := Listen(addr)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error)
		go func() { served <- Serve(ctx, l, c, "") }()
		if l.Addr().Network() == "unix" {
			if info, err := os.Stat(sock); err != nil || info.Mode().Perm() != 0o600 {
				t.Error(info, err)
			}
			if _, err := Listen(addr); err == nil || !strings.Contains(err.Error(), "another process listens here") {
				t.Error(err)
			}
		} else {
			addr = l.Addr().String()
		}
		client, err := Dial(addr)
		if err != nil {
			t.Fatal(err)
		}
		one := 1
		st, err := client.Start(t.Context(), StartOptions{Prefix: "x", Max: &one})
		if err != nil || st.State != Running {
			t.Error(st, err)
		}
		_, err = client.Start(t.Context(), StartOptions{})
		if re, ok := err.(*RemoteError); !ok || re.Code != 409 || re.Reply.State != Running {
			t.Error(err)
		}
		c.Iteration(window.Requests).End()
		st, err = client.Stop(t.Context())
		if err != nil || st.Session.Recorded != 1 || len(st.Session.Artifacts) != 1 {
			t.Fatal(st, err)
		}
		var file bytes.Buffer
		if err := client.Download(t.Context(), st.Session.Artifacts[0].ID, &file); err != nil || !strings.HasPrefix(file.String(), "session ") {
			t.Error(file.String(), err)
		}
		if err := client.Download(t.Context(), "9-9", &file); err == nil {
			t.Error("no error for an artifact that is not there")
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(sock); !os.IsNotExist(err) {
		t.Error("the socket stays:", err)
	}
}

func TestListen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Error(err)
	}
	stale := filepath.Join(dir, "stale")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	again, err := Listen(stale)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	for _, addr := range []string{"", "nohost", "ftp://x", "http://u:p@x", "unix:"} {
		if _, err := Dial(addr); err == nil {
			t.Errorf("Dial(%q) has no error", addr)
		}
	}
	wide, err := Listen("0.0.0.0:0")
	if err != nil {
		t.Skipf("no address but loopback can be listened on here: %v", err)
	}
	c, _ := rig(t, Config{}, nil)
	if err := Serve(t.Context(), wide, c, ""); err == nil || !strings.Contains(err.Error(), "needs a token") {
		t.Error(err)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	client, err := Dial(other.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "no profiler control answers there") {
		t.Error(err)
	}
}
