package control

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// unixPrefix begins the address of a unix socket: unix:/run/paint.sock. An address
// with a slash in it is one too.
const unixPrefix = "unix:"

// socketPath returns the path of a unix socket's address.
func socketPath(addr string) (string, bool) {
	if path, ok := strings.CutPrefix(addr, unixPrefix); ok {
		return strings.TrimPrefix(path, "//"), true
	}
	return addr, strings.Contains(addr, "/") && !strings.Contains(addr, "://")
}

// Listen listens on host:port, or on a unix socket that its owner alone can use
// (mode 0600). A socket that a killed process left is replaced; one that answers,
// and any other file, is not.
func Listen(addr string) (net.Listener, error) {
	path, unix := socketPath(addr)
	if !unix {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return nil, fmt.Errorf("listen on %s: %w", addr, err)
		}
		return l, nil
	}
	l, err := listenUnix(path)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	return l, nil
}

// listenUnix makes the socket within a folder that nobody else can enter, and
// moves it into place once its mode is right.
func listenUnix(path string) (net.Listener, error) {
	if err := vacate(path); err != nil {
		return nil, err
	}
	private := filepath.Join(filepath.Dir(path), ".r"+rand.Text()[:6])
	if err := os.Mkdir(private, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	temp := filepath.Join(private, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: temp, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(temp, 0o600); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &socket{Listener: l, path: path}, nil
}

// vacate removes a socket on which nobody answers.
func vacate(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return errors.New("a file of this name exists and is no socket")
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		return errors.Join(errors.New("another process listens here"), c.Close())
	}
	return os.Remove(path)
}

// socket removes its file when it is closed.
type socket struct {
	net.Listener
	path string
}

func (s *socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

func (s *socket) Close() error {
	err := s.Listener.Close()
	if rm := os.Remove(s.path); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}

// Serve controls c on l until ctx is done; it then lets running requests end for
// a while. The session itself is not touched: Shutdown stops it.
func Serve(ctx context.Context, l net.Listener, c *Controller, token string) error {
	bind := l.Addr().String()
	srv := &http.Server{
		Handler:           Handler(c, HandlerOptions{Token: token, Bind: bind}),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	if l.Addr().Network() != "unix" && token == "" && !Loopback(bind) {
		return errors.Join(fmt.Errorf("serve on %s: an address that others reach needs a token", bind), l.Close())
	}
	done := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		done <- srv.Shutdown(grace)
	})
	err := srv.Serve(l)
	if !errors.Is(err, http.ErrServerClosed) {
		stop()
		return fmt.Errorf("serve on %s: %w", bind, err)
	}
	return <-done
}
