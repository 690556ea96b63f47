package live

import (
	"image"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestShowDoesNotWait: whoever shows frames does not wait while a viewer makes a
// picture of one.
func TestShowDoesNotWait(t *testing.T) {
	s := New(nil, nil)
	made, enough := make(chan struct{}), make(chan struct{})
	s.shown.picture = sync.OnceValues(func() ([]byte, error) {
		close(made)
		<-enough
		return nil, nil
	})
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	defer s.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r, err := h.Client().Get(h.URL + "/stream"); err == nil {
			r.Body.Close()
		}
	}()
	<-made
	s.Show(image.NewRGBA(image.Rect(0, 0, 4, 4)), State{Frame: 1}) // would hang
	close(enough)
	<-done
}

// TestEventForms: what is no event of the page is refused, and reaches nobody.
func TestEventForms(t *testing.T) {
	var got []string
	s := New(func(events ...string) { got = append(got, events...) }, nil)
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	for body, code := range map[string]int{`{"key":"left"}`: 204, ``: 400, `[]`: 400, `{"key":7}`: 400, `{"reset":true}`: 204,
		`{"text":"` + strings.Repeat("x", maxEvent+1) + `"}`: 400, `{"key":"` + strings.Repeat("k", 40) + `"}`: 400, strings.Repeat(" ", 5000) + `{}`: 400} {
		r, err := h.Client().Post(h.URL+"/event", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != code {
			t.Errorf("%.40s: %d, want %d", body, r.StatusCode, code)
		}
	}
	if len(got) != 1 || got[0] != "left" {
		t.Errorf("%q", got)
	}
}
