package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestView(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "run.json")
	const text = `{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]}`
	if err := os.WriteFile(trace, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		defer in.Close()
		code <- Run(ctx, []string{"view", trace}, IO{Out: in, Err: io.Discard, Getenv: func(string) string { return "" }})
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	reply, err := http.Get(strings.TrimSpace(line) + "api/run")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var run struct{ Title string }
	if err := json.NewDecoder(reply.Body).Decode(&run); err != nil || run.Title != "run.json" {
		t.Errorf("title %q, %v", run.Title, err)
	}
	cancel()
	if c := <-code; c != exitOK {
		t.Errorf("it ends with %d", c)
	}
}

func TestViewMisuse(t *testing.T) {
	for _, args := range [][]string{{"view", "--addr", "7000"}, {"view", "--addr", "127.0.0.1:0", "--roles", "nothing.yaml", "x.json"}} {
		if c := Run(context.Background(), args, IO{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}); c != exitMisuse {
			t.Errorf("%q: exit code %d", args, c)
		}
	}
}
