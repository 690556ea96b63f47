package live

import (
	"bufio"
	"context"
	"image"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestStream(t *testing.T) {
	s := New(nil, nil)
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	defer s.Close()
	s.Show(image.NewRGBA(image.Rect(0, 0, 4, 4)), State{Frame: 1})
	r, err := http.Get(h.URL + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	for i := range 3 {
		if i > 0 {
			s.Show(image.NewRGBA(image.Rect(0, 0, 4, 4)), State{Frame: 1 + i})
		}
		p, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if p.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%v", p.Header)
		}
		// The end of a part is told by the next one's beginning: the length is there
		// so that viewers need not wait.
		head := make([]byte, 8)
		if _, err := io.ReadFull(p, head); err != nil || string(head[1:4]) != "PNG" {
			t.Errorf("%q %v", head, err)
		}
		if i < 2 {
			go s.Show(image.NewRGBA(image.Rect(0, 0, 4, 4)), State{})
		}
	}
}

func TestState(t *testing.T) {
	s := New(nil, nil)
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	s.Show(image.NewRGBA(image.Rect(0, 0, 4, 4)), State{Frame: 7, Prompt: "<b>"})
	r, err := http.Get(h.URL + "/state")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	line, err := bufio.NewReader(r.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, `"frame":7`) {
		t.Errorf("%q %v", line, err)
	}
	s.Close()
	if _, err := io.ReadAll(r.Body); err != nil {
		t.Error(err)
	}
}

func TestEvents(t *testing.T) {
	var got []string
	resets := 0
	s := New(func(e ...string) { got = append(got, e...) }, func() { resets++ })
	h := s.Handler()
	for body, code := range map[string]int{`{"key":"left"}`: 204, `{"text":"a b"}`: 204, `{"reset":true}`: 204, `{`: 400, `{"key":"` + strings.Repeat("x", 40) + `"}`: 400,
		`{"text":"` + strings.Repeat("x", 5000) + `"}`: 400} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "http://127.0.0.1:80/event", strings.NewReader(body))
		h.ServeHTTP(w, r)
		if w.Code != code {
			t.Errorf("%.30s: %d", body, w.Code)
		}
	}
	if len(got) != 2 || resets != 1 {
		t.Errorf("%v, %d resets", got, resets)
	}
}

// TestGuard: names that lead here and pages of elsewhere are refused.
func TestGuard(t *testing.T) {
	h := New(nil, nil).Handler()
	for _, c := range []struct {
		host, origin string
		code         int
	}{{"127.0.0.1:8", "", 200}, {"localhost", "", 200}, {"[::1]:80", "http://[::1]:80", 200}, {"evil.example", "", 403}, {"127.0.0.1:8", "http://evil.example", 403}, {"127.0.0.1.evil.example", "", 403}} {
		r := httptest.NewRequestWithContext(context.Background(), "GET", "http://x/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.code || w.Code == 200 && !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}
