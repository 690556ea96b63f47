package attach

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// SocketName is the name that clients look for, in the folder that
// KINETO_IPC_SOCKET_DIR names, or among abstract sockets.
const SocketName = "dynolog"

// forgotten is how long a process may be silent before it counts as gone.
const forgotten = 60 * time.Second

// maxProcesses bounds what a daemon keeps.
const maxProcesses = 4096

// Process is a process that asked.
type Process struct {
	PID       int       `json:"pid"` // as this machine counts it, where the system tells
	Own       int       `json:"own_pid"`
	Ancestors []int     `json:"ancestors"`
	Job       int64     `json:"job,omitempty"`
	Busy      bool      `json:"busy"`
	Seen      time.Time `json:"last_seen"`
}

// is reports whether a pid is the process's or an ancestor's.
func (p Process) is(pid int) bool {
	return p.PID == pid || p.Own == pid || slices.Contains(p.Ancestors, pid)
}

// Daemon answers processes. Its methods may be called at the same time.
type Daemon struct {
	conn *net.UnixConn
	path string // of the socket; "" when it is abstract

	mu      sync.Mutex
	procs   map[string]*client // by address
	changed chan struct{}      // closed and replaced when something came
}

// client is a process with what it is to be told.
type client struct {
	Process
	config    string // to be delivered; "" for nothing
	delivered time.Time
	began     bool // it was busy since
}

// Listen begins to answer: in a folder, which must be private to this user, or with ""
// on the abstract socket of the machine. A socket that a killed daemon left is
// replaced; one that is in use is an error.
func Listen(dir string) (*Daemon, error) {
	name := "@" + SocketName + "\x00" // the NUL at the end is part of the name
	d := &Daemon{procs: map[string]*client{}, changed: make(chan struct{})}
	if dir != "" {
		d.path = filepath.Join(dir, SocketName)
		name = d.path
		if err := clearStale(d.path); err != nil {
			return nil, err
		}
	}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("attach: another daemon has the socket %s: dynolog perhaps, or another reel attach: %w", SocketName, err)
	}
	if dir != "" {
		// Clients of the same user reach it; the folder keeps others out.
		if err := os.Chmod(d.path, 0o600); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	d.conn = conn
	if err := passCredentials(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return d, nil
}

// clearStale removes a socket that nobody listens on.
func clearStale(path string) error {
	st, err := os.Lstat(path)
	if err != nil {
		return nil // nothing there
	}
	if st.Mode()&os.ModeSocket == 0 {
		return fmt.Errorf("attach: %s is no socket", path)
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err == nil {
		c.Close()
		return fmt.Errorf("attach: another daemon listens on %s", path)
	}
	return os.Remove(path)
}

// Serve answers until ctx ends or the daemon is closed.
func (d *Daemon) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { d.conn.Close() })
	defer stop()
	b, oob := make([]byte, maxMessage), make([]byte, 256)
	for {
		n, k, _, from, err := d.conn.ReadMsgUnix(b, oob)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("attach: %w", err)
		}
		if from == nil || from.Name == "" {
			continue // it cannot be answered
		}
		if reply := d.take(b[:n], from.Name, senderOf(oob[:k])); reply != nil {
			to := *from
			if to.Name[0] == '@' {
				to.Name += "\x00"
			}
			_, _ = d.conn.WriteToUnix(reply, &to) // a client that has gone hears nothing
		}
	}
}

// Close ends the daemon.
func (d *Daemon) Close() error {
	err := d.conn.Close()
	if d.path != "" {
		os.Remove(d.path)
	}
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// take files a message and returns the answer.
func (d *Daemon) take(b []byte, from string, pid int) []byte {
	m, err := parse(b)
	if err != nil {
		return nil
	}
	r, ok := m.(*request)
	if !ok { // an older client registers a context; it wants to know how many there are
		return answer("ctxt", binary.LittleEndian.AppendUint32(nil, 1))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget()
	c := d.procs[from]
	if c == nil {
		if len(d.procs) >= maxProcesses {
			return answer("req", nil)
		}
		c = &client{}
		d.procs[from] = c
	}
	c.Process = Process{PID: pid, Own: int(r.PIDs[0]), Job: r.Job, Busy: r.Busy, Seen: time.Now()}
	if pid == 0 {
		c.PID = c.Own
	}
	for _, p := range r.PIDs[1:] {
		c.Ancestors = append(c.Ancestors, int(p))
	}
	text := ""
	if r.Busy {
		c.began = true
	} else if c.config != "" {
		text, c.config, c.delivered, c.began = c.config, "", time.Now(), false
	}
	close(d.changed)
	d.changed = make(chan struct{})
	return answer("req", []byte(text))
}

// forget drops processes that have been silent; d.mu is held.
func (d *Daemon) forget() {
	for k, c := range d.procs {
		if time.Since(c.Seen) > forgotten {
			delete(d.procs, k)
		}
	}
}

// Processes lists the processes that asked of late, by pid.
func (d *Daemon) Processes() []Process {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget()
	out := []Process{}
	for _, c := range d.procs {
		out = append(out, c.Process)
	}
	slices.SortFunc(out, func(a, b Process) int { return a.PID - b.PID })
	return out
}
