package webui

import (
	"net/http"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	head := func(k, v string) func(*http.Request) { return func(r *http.Request) { r.Header.Set(k, v) } }
	host := func(v string) func(*http.Request) { return func(r *http.Request) { r.Host = v } }
	for _, x := range []struct {
		name   string
		change func(*http.Request)
		code   int
	}{
		{"its own page", head("Origin", "http://127.0.0.1:7000"), 200},
		{"localhost", host("localhost:7000"), 200},
		{"IPv6", host("[::1]:7000"), 200},
		{"a name that leads here", host("evil.example:7000"), 403},
		{"a name that looks local", host("127.0.0.1.evil.example"), 403},
		{"another site", head("Origin", "http://evil.example"), 403},
		{"no site", head("Origin", "null"), 403},
		{"a picture on another site", head("Sec-Fetch-Site", "cross-site"), 403},
	} {
		w := ask(h, "/api/run", x.change)
		if w.Code != x.code {
			t.Errorf("%s: %d, want %d", x.name, w.Code, x.code)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self';") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", x.name, w.Header())
		}
	}
	if w := ask(h, "/", func(r *http.Request) { r.Method = http.MethodPost }); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a POST is answered with %d", w.Code)
	}
}

func TestToken(t *testing.T) {
	h := New(runOf(t, small), Options{Token: "secret"}).Handler()
	far := func(r *http.Request) { r.Host = "gpu7:7000" }
	if w := ask(h, "/api/run", far); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", w.Code)
	}
	if w := ask(h, "/?token=wrong", far); w.Code != http.StatusUnauthorized {
		t.Errorf("with a wrong one: %d", w.Code)
	}
	w := ask(h, "/?token=secret&v=timeline", far)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/?v=timeline" {
		t.Fatalf("with the token: %d to %q", w.Code, w.Header().Get("Location"))
	}
	c := w.Result().Cookies()
	if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("cookies %v", c)
	}
	if w := ask(h, "/api/run", far, func(r *http.Request) { r.AddCookie(c[0]) }); w.Code != 200 {
		t.Errorf("with the cookie: %d", w.Code)
	}
	// Browsers keep one cookie of a name for all ports of a host.
	w = ask(h, "/?token=secret", func(r *http.Request) { r.Host = "gpu7:7001" })
	if other := w.Result().Cookies(); len(other) != 1 || other[0].Name == c[0].Name {
		t.Errorf("two servers of one host share the cookie %v", other)
	}
}
