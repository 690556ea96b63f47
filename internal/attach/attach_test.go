//go:build linux

package attach

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is a client as libkineto is one, without PyTorch: it asks every 20 ms, and
// when it is given a configuration it is busy for a while and writes its file.
type fake struct {
	t      *testing.T
	dir    string
	pids   []int32
	silent bool // takes the request and writes nothing
	mu     sync.Mutex
	got    []string
}

func (f *fake) run(ctx context.Context) {
	name := filepath.Join(f.dir, fmt.Sprint("dynoconfigclient", f.pids[0]))
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		f.t.Error(err)
		return
	}
	defer c.Close()
	to := &net.UnixAddr{Name: filepath.Join(f.dir, SocketName), Net: "unixgram"}
	kind, until := uint32(2), time.Time{}
	config := ""
	b := make([]byte, maxMessage)
	for ctx.Err() == nil {
		if kind == 0 && time.Now().After(until) {
			if !f.silent {
				f.write(config)
			}
			kind = 2
		}
		body := binary.LittleEndian.AppendUint32(nil, kind)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(f.pids)))
		body = binary.LittleEndian.AppendUint64(body, 0)
		for _, p := range f.pids {
			body = binary.LittleEndian.AppendUint32(body, uint32(p))
		}
		_, _ = c.WriteToUnix(answer("req", body), to)
		_ = c.SetReadDeadline(time.Now().Add(90 * time.Millisecond))
		if n, err := c.Read(b); err == nil && n > headerSize {
			config = string(b[headerSize:n])
			f.mu.Lock()
			f.got = append(f.got, config)
			f.mu.Unlock()
			kind, until = 0, time.Now().Add(60*time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// write writes the trace, in two parts as a slow disk does.
func (f *fake) write(config string) {
	_, rest, _ := strings.Cut(config, "ACTIVITIES_LOG_FILE=")
	path, _, _ := strings.Cut(rest, "\n")
	path = strings.TrimSuffix(path, ".json") + fmt.Sprintf("_%d.json", f.pids[0])
	out, err := os.Create(path)
	if err != nil {
		f.t.Error(err)
		return
	}
	defer out.Close()
	_, _ = out.WriteString(`{"traceEvents": [`)
	time.Sleep(50 * time.Millisecond)
	_, _ = out.WriteString("]}\n")
}

// setUp runs a daemon and clients in a private folder.
func setUp(t *testing.T, clients ...*fake) (*Daemon, *Folder) {
	t.Helper()
	f, err := NewFolder()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Listen(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.Serve(ctx); err != nil {
			t.Error(err)
		}
	})
	for _, c := range clients {
		c.t, c.dir = t, f.Dir
		wg.Go(func() { c.run(ctx) })
	}
	t.Cleanup(func() {
		cancel()
		wg.Wait()
		d.Close()
		f.Remove()
	})
	return d, f
}

// me are pids of this process, so that it counts as alive, with an ancestor.
func me(ancestor int32) []int32 { return []int32{int32(os.Getpid()), ancestor} }

func TestCapture(t *testing.T) {
	c := &fake{pids: me(4711)}
	d, f := setUp(t, c)
	for range 2 { // twice, without a restart
		a, err := d.Capture(t.Context(), Request{PIDs: []int{4711}, Dir: f.Traces(), Profile: Profile{Duration: 50 * time.Millisecond, Shapes: true, Stacks: true}})
		if err != nil || len(a) != 1 || a[0].Error != "" || a[0].PID != os.Getpid() {
			t.Fatalf("%+v %v", a, err)
		}
		data, err := os.ReadFile(a[0].File)
		if err != nil || string(data) != "{\"traceEvents\": []}\n" {
			t.Errorf("%q %v", data, err)
		}
		if err := os.Remove(a[0].File); err != nil {
			t.Error(err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, want := range []string{"ACTIVITIES_DURATION_MSECS=50\n", "PROFILE_START_TIME=0\n", "PROFILE_REPORT_INPUT_SHAPES=true\n", "PROFILE_WITH_STACK=true\n"} {
		if !strings.Contains(c.got[0], want) {
			t.Errorf("no %q in %q", want, c.got[0])
		}
	}
	if len(c.got) != 2 {
		t.Errorf("%d configurations", len(c.got))
	}
}

// TestRemote captures through the daemon of another program.
func TestRemote(t *testing.T) {
	d, f := setUp(t, &fake{pids: me(12)})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.ServeControl(ctx, f); err != nil {
			t.Error(err)
		}
	})
	defer wg.Wait()
	defer cancel()
	r, ok := Control(f.Dir)
	for range 1000 {
		if ok {
			break
		}
		time.Sleep(5 * time.Millisecond)
		r, ok = Control(f.Dir)
	}
	if !ok {
		t.Fatal("the control does not answer")
	}
	var news []string
	a, err := r.Capture(ctx, Request{PIDs: []int{12}, Progress: func(format string, args ...any) { news = append(news, fmt.Sprintf(format, args...)) }})
	if err != nil || len(a) != 1 || a[0].File == "" || len(news) == 0 {
		t.Errorf("%+v %v %v", a, err, news)
	}
	if list, err := r.Processes(ctx); err != nil || len(list) != 1 || list[0].Own != os.Getpid() {
		t.Errorf("%+v %v", list, err)
	}
	if a, err := r.Capture(ctx, Request{PIDs: []int{99}, Wait: 100 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "KINETO_USE_DAEMON") {
		t.Errorf("%+v %v", a, err)
	}
}

// TestBusy: a process that is being profiled says so; one that is gone, too.
func TestBusy(t *testing.T) {
	c := &fake{pids: me(5)}
	d, f := setUp(t, c)
	first := make(chan []Answer, 1)
	go func() {
		a, _ := d.Capture(t.Context(), Request{PIDs: []int{5}, Dir: f.Traces()})
		first <- a
	}()
	for {
		keys, next := d.matching([]int{5})
		if len(keys) == 1 {
			if delivered, _, _, _, _ := d.state(keys[0]); !delivered.IsZero() {
				break
			}
		}
		<-next
	}
	for {
		keys, next := d.matching([]int{5})
		if _, _, busy, _, _ := d.state(keys[0]); busy {
			break
		}
		select {
		case a := <-first:
			t.Fatalf("over before it was seen to be busy: %+v", a)
		case <-next:
		}
	}
	if a := <-first; a[0].Error != "" {
		t.Errorf("%+v", a)
	}
}

func TestListenTwice(t *testing.T) {
	_, f := setUp(t)
	if d, err := Listen(f.Dir); err == nil {
		d.Close()
		t.Error("two daemons on one socket")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, SocketName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(dir); err == nil {
		t.Error("a file was taken for a socket")
	}
}

func TestConfigRefuses(t *testing.T) {
	for _, path := range []string{"/tmp/a=b.json", "/tmp/../etc/x.json", "/tmp/a\nb"} {
		if _, err := (Profile{}).config(path); err == nil {
			t.Errorf("%q", path)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(answer("req", make([]byte, 20)))
	f.Add(answer("ctxt", make([]byte, 16)))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = parse(b) })
}
