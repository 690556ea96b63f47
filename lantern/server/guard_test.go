package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"reel/control"
)

// send sends a request with a header and returns the status.
func sendWith(t *testing.T, method, url, name, value string) int {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(`{"prompt":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(name, value)
	if name == "Host" {
		r.Host = value
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// TestGuard: pages of elsewhere make no pictures and start no profile, on one server
// and on several ranks; without a token no address that others reach is answered.
func TestGuard(t *testing.T) {
	_, one := serve(t, &engine{}, Options{})
	many, _ := newFleet(t, 2)
	_, wide := serve(t, &engine{}, Options{Handler: control.HandlerOptions{Bind: "0.0.0.0:8091"}})
	for _, c := range []struct {
		method, url, name, value string
		code                     int
	}{
		{"POST", one.URL + "/v1/images/generations", "X-Nothing", "", 200},
		{"POST", one.URL + "/v1/images/generations", "Origin", "http://evil.example", 403},
		{"GET", one.URL + "/v1/models", "Host", "evil.example", 403},
		{"POST", many.URL + "/v1/images/generations", "Origin", "http://evil.example", 403},
		{"POST", many.URL + "/start_profile", "Origin", "http://evil.example", 403},
		{"POST", many.URL + "/start_profile", "Host", "evil.example", 403},
		{"GET", wide.URL + "/v1/models", "X-Nothing", "", 401},
		{"GET", wide.URL + "/health", "X-Nothing", "", 200},
	} {
		if code := sendWith(t, c.method, c.url, c.name, c.value); code != c.code {
			t.Errorf("%s %s with %s %s: %d, want %d", c.method, c.url, c.name, c.value, code, c.code)
		}
	}
}

// TestCurlBody: JSON that is called a form, as curl does unless told otherwise.
func TestCurlBody(t *testing.T) {
	_, h := serve(t, &engine{}, Options{})
	for body, code := range map[string]int{` {"prompt":"a"}`: 200, "prompt=a": 200, "null": 400, "": 400} {
		r, err := http.Post(h.URL+"/v1/images/generations", "application/x-www-form-urlencoded", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != code {
			t.Errorf("%q: %d, want %d", body, r.StatusCode, code)
		}
	}
}

// TestSlowReader: a client that does not read its reply keeps no place in the queue.
func TestSlowReader(t *testing.T) {
	s, h := serve(t, &engine{}, Options{Waiting: -1})
	c, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := `{"prompt":"a"}`
	fmt.Fprintf(c, "POST /v1/images/generations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if line, err := bufio.NewReaderSize(c, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatal(line, err)
	}
	if n := len(s.queue.places); n != 0 {
		t.Errorf("%d places are taken", n)
	}
	if code, v := post(t, h.URL+"/v1/images/generations", body); code != 200 {
		t.Errorf("%d %v", code, v)
	}
}

// TestNothingStays: behind Close no goroutine of the server is left, however its
// requests ended.
func TestNothingStays(t *testing.T) {
	http.DefaultClient.CloseIdleConnections()
	before := settled(0)
	e := &engine{gate: make(chan struct{})}
	s := New(e, Options{Log: slog.New(slog.DiscardHandler)})
	h := httptest.NewServer(s)
	ctx, cancel := context.WithCancel(t.Context())
	for range 8 {
		r, err := http.NewRequestWithContext(ctx, "POST", h.URL+"/v1/images/generations", strings.NewReader(`{"prompt":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if res, err := http.DefaultClient.Do(r); err == nil {
				res.Body.Close()
			}
		}()
	}
	for range 3 {
		post(t, h.URL+"/v1/videos", `{"prompt":"a"}`)
	}
	cancel()
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	h.Close()
	http.DefaultClient.CloseIdleConnections()
	if after := settled(before); after > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before\n%s", after, before, buf[:runtime.Stack(buf, true)])
	}
}

// settled is the number of goroutines once it is no more than want, or has had the
// time to become so.
func settled(want int) int {
	for range 200 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}
