package control

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// ask sends a request and returns the code and the decoded reply.
func ask(t *testing.T, method, url, body string, header ...string) (int, Reply) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var r Reply
	if strings.Contains(res.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(data, &r); err != nil || r.Schema != ReplySchema {
			t.Fatalf("%s: %v", data, err)
		}
	} else {
		r.Error = string(data)
	}
	return res.StatusCode, r
}

func serve(t *testing.T, c *Controller, o HandlerOptions) string {
	srv := httptest.NewServer(Handler(c, o))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestHTTP(t *testing.T) {
	c, _ := rig(t, Config{}, nil)
	url := serve(t, c, HandlerOptions{})
	expect := func(method, path, body string, code int, text string) Reply {
		t.Helper()
		got, r := ask(t, method, url+path, body)
		if got != code || !strings.Contains(r.Error, text) {
			t.Errorf("%s %s %s: %d %q, want %d %q", method, path, body, got, r.Error, code, text)
		}
		return r
	}
	if r := expect("POST", "/stop_profile", "", 409, "no session is running (state idle)"); r.State != Idle {
		t.Error(r)
	}
	expect("POST", "/start_profile", `{`, 400, "ends too early")
	expect("POST", "/start_profile", `[1]`, 400, "want a JSON object")
	expect("POST", "/start_profile", `{} {}`, 400, "more text")
	expect("POST", "/start_profile", `{"profile_prefix":"../x"}`, 400, `profile_prefix: "../x": want up to 64 letters`)
	expect("POST", "/start_profile", `{"max_iterations":1,"max_iterations":2}`, 400, "stands twice")
	expect("POST", "/start_profile", `{"stages":[1]}`, 400, "stage 0 alone")
	expect("POST", "/start_profile", `{"stages":[]}`, 400, "want a list of stage numbers")
	expect("POST", "/start_profile", strings.Repeat(" ", maxBody+1), 413, "larger than")
	r := expect("POST", "/start_profile", `{"max_iterations":-1,"maxiterations":2,"delay_iterations":"3"}`, 400, "did you mean max_iterations?")
	if len(r.Faults) != 3 || r.Faults[0].Field != "delay_iterations" || r.Faults[0].Value != `"3"` {
		t.Error(r.Faults)
	}
	expect("GET", "/start_profile", "", 405, "")
	expect("POST", "/start_profile", `{"stages":[0],"profile_prefix":"cat","max_iterations":1}`, 200, "")
	if r := expect("POST", "/start_profile", "", 409, "a session is recording"); r.State != Running || r.Session == nil {
		t.Error(r)
	}
	expect("POST", "/stop_profile", `{"profile_prefix":"x"}`, 400, "no such field")
	request(c, 2) // stops by itself
	if r := expect("POST", "/stop_profile", "", 200, ""); r.State != Done || len(r.Session.Artifacts) != 1 || !strings.Contains(r.Session.Run, "/cat-") {
		t.Error(r.Session)
	}
	expect("POST", "/stop_profile", "", 409, "state done")
	if r := expect("GET", "/profile", "", 200, ""); r.State != Done || r.Profiler != Torch {
		t.Error(r)
	}
	if r := expect("GET", "/profile/artifacts/1-1", "", 200, ""); r.Error != "session 1" {
		t.Error(r)
	}
	for _, id := range []string{"1-2", "2-1", "01-1", "1", "..%2f..%2fetc%2fpasswd", "trace_rank0.json", "1-1%00", "1-..%2frun.json"} {
		if code, r := ask(t, "GET", url+"/profile/artifacts/"+id, ""); code != 404 {
			t.Errorf("%s: %d %v", id, code, r)
		}
	}
}

// An artifact that was replaced by a link is not followed out of the folder.
func TestDownloadStaysInside(t *testing.T) {
	c, _ := rig(t, Config{Max: 1}, nil)
	url := serve(t, c, HandlerOptions{})
	if _, err := c.Start(StartOptions{}); err != nil {
		t.Fatal(err)
	}
	request(c, 1)
	s, err := c.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	trace := filepath.Join(s.Run, "trace_rank0.json")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(trace); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, trace); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if code, r := ask(t, "GET", url+"/profile/artifacts/1-1", ""); code != 404 || strings.Contains(r.Error, "secret") {
		t.Error(code, r)
	}
}

func TestHTTPFailures(t *testing.T) {
	none, err := New(Config{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, none, HandlerOptions{})
	for _, path := range []string{"POST /start_profile", "POST /stop_profile", "GET /profile", "GET /profile/artifacts/1-1"} {
		method, path, _ := strings.Cut(path, " ")
		if code, _ := ask(t, method, url+path, ""); code != 404 {
			t.Errorf("%s without a profiler: %d", path, code)
		}
	}
	c, st := rig(t, Config{}, nil)
	url = serve(t, c, HandlerOptions{})
	st.breaks("b.start", "error")
	if code, r := ask(t, "POST", url+"/start_profile", ""); code != 500 || r.State != Failed || r.Error != "start: start b: b.start broke" {
		t.Error(code, r)
	}
	st.breaks("export", "panic")
	ask(t, "POST", url+"/start_profile", "")
	if code, r := ask(t, "POST", url+"/stop_profile", ""); code != 500 || r.State != Failed || r.Error != "profiler: export trace: panic: export panicked" {
		t.Error(code, r)
	}
	st.breaks("", "")
	if err := c.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code, _ := ask(t, "POST", url+"/start_profile", ""); code != 503 {
		t.Error(code)
	}
}

func TestTwoHundredStarts(t *testing.T) {
	c, st := rig(t, Config{}, nil)
	url := serve(t, c, HandlerOptions{})
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 50}}
	defer client.CloseIdleConnections()
	var yes, no atomic.Int32
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			res, err := client.Post(url+"/start_profile", "application/json", nil)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			switch res.StatusCode {
			case 200:
				yes.Add(1)
			case 409:
				no.Add(1)
			}
		})
	}
	wg.Wait()
	if yes.Load() != 1 || no.Load() != 199 {
		t.Errorf("%d started, %d refused", yes.Load(), no.Load())
	}
	want(t, "order", st.take(), "a.prepare b.prepare a.start b.start")
	if s, err := c.Stop(t.Context()); err != nil || s.ID != 1 {
		t.Error(s, err)
	}
}
