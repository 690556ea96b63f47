// Package live shows the frames of an interactive session in a browser and brings
// its key presses back: a page, a stream of pictures (multipart/x-mixed-replace, as
// MJPEG has it), and a place to post events to.
//
// It makes no frames and runs no session. Its handler is for loopback: it answers
// requests whose Host is an address of this machine, and takes events from its own
// page alone.
package live

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

//go:embed page
var page embed.FS

// Screen is what a session shows on. Its methods may be called at the same time.
type Screen struct {
	input func(events ...string) // nil takes none
	reset func()

	mu      sync.Mutex
	changed chan struct{} // closed and replaced with every frame
	shown   *frame
	viewers int
	closed  bool
}

// frame is what is on the screen. Its picture is made when the first viewer wants it,
// on that viewer's time: whoever shows frames never waits for it.
type frame struct {
	state   State
	picture func() ([]byte, error) // PNG; nothing without an image
}

func newFrame(img *image.RGBA, st State) *frame {
	return &frame{st, sync.OnceValues(func() ([]byte, error) {
		if img == nil {
			return nil, nil
		}
		var out bytes.Buffer
		enc := png.Encoder{CompressionLevel: png.BestSpeed}
		err := enc.Encode(&out, img)
		return out.Bytes(), err
	})}
}

// State is what the page shows beside the picture.
type State struct {
	Frame      int     `json:"frame"`
	Generation int     `json:"generation"`
	Step       int     `json:"step"`
	Rate       float64 `json:"rate"` // frames per second over the last second
	Prompt     string  `json:"prompt"`
}

// New makes a screen. input is given key presses ("left") and lines of text
// ("say: …"), reset is called for a restart; both may be nil.
func New(input func(events ...string), reset func()) *Screen {
	return &Screen{input: input, reset: reset, changed: make(chan struct{}), shown: newFrame(nil, State{})}
}

// Show puts a frame on the screen. The picture must not change afterwards.
func (s *Screen) Show(img *image.RGBA, st State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.shown = newFrame(img, st)
	close(s.changed)
	s.changed = make(chan struct{})
}

// Close ends all streams.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.changed)
	}
}

// Viewers is the number of streams.
func (s *Screen) Viewers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewers
}

// now returns what is on the screen, and the channel that the next frame closes.
func (s *Screen) now() (f *frame, next chan struct{}, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown, s.changed, !s.closed
}

// maxViewers bounds the streams at a time, maxEvent an event's text, patience how long
// a viewer may leave a picture unread.
const (
	maxViewers = 16
	maxEvent   = 512
	patience   = 20 * time.Second
)

// Handler serves the page.
func (s *Screen) Handler() http.Handler {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // the folder is embedded by name: this cannot happen
	}
	m := http.NewServeMux()
	m.Handle("GET /", http.FileServerFS(files))
	m.HandleFunc("GET /stream", s.stream)
	m.HandleFunc("GET /state", s.states)
	m.HandleFunc("POST /event", s.event)
	return guard(m)
}

// guard refuses what another site's page, or a name that leads here, sends.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "this server answers to its address alone", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
			http.Error(w, "a page of elsewhere", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// local reports whether a Host header names this machine by address.
func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return ip != nil && ip.IsLoopback()
}

// enter counts a stream; ok is false when there are too many.
func (s *Screen) enter() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.viewers >= maxViewers {
		return nil, false
	}
	s.viewers++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.viewers--
	}, true
}

const boundary = "reel-frame"

// stream sends each frame as it comes; a slow viewer misses some.
func (s *Screen) stream(w http.ResponseWriter, r *http.Request) {
	s.follow(w, r, "multipart/x-mixed-replace; boundary="+boundary, func(f *frame) error {
		picture, err := f.picture()
		if err != nil || picture == nil {
			return err
		}
		_, err = fmt.Fprintf(w, "--%s\r\nContent-Type: image/png\r\nContent-Length: %d\r\n\r\n%s\r\n", boundary, len(picture), picture)
		return err
	})
}

// states sends what stands beside the picture, as server-sent events.
func (s *Screen) states(w http.ResponseWriter, r *http.Request) {
	last := time.Time{}
	s.follow(w, r, "text/event-stream", func(f *frame) error {
		if time.Since(last) < 100*time.Millisecond {
			return nil
		}
		last = time.Now()
		data, err := json.Marshal(f.state)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "data: %s\n\n", data)
		return err
	})
}

// follow calls send for every frame until the viewer goes or the screen closes.
func (s *Screen) follow(w http.ResponseWriter, r *http.Request, kind string, send func(*frame) error) {
	leave, ok := s.enter()
	if !ok {
		http.Error(w, "too many viewers", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", kind)
	flush := http.NewResponseController(w)
	for {
		f, next, open := s.now()
		if !open {
			return
		}
		_ = flush.SetWriteDeadline(time.Now().Add(patience)) // where the connection has none, it waits
		if send(f) != nil || flush.Flush() != nil {
			return
		}
		select {
		case <-next:
		case <-r.Context().Done():
			return
		}
	}
}

// event takes a key press, a line of text or a restart.
func (s *Screen) event(w http.ResponseWriter, r *http.Request) {
	var e struct {
		Key   string `json:"key"`
		Text  string `json:"text"`
		Reset bool   `json:"reset"`
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096))
	if err := d.Decode(&e); err != nil || len(e.Key) > 32 || len(e.Text) > maxEvent {
		http.Error(w, `want {"key": "left"}, {"text": "a green square"} or {"reset": true}`, http.StatusBadRequest)
		return
	}
	switch {
	case e.Reset && s.reset != nil:
		s.reset()
	case e.Text != "" && s.input != nil:
		s.input("say: " + e.Text)
	case e.Key != "" && s.input != nil:
		s.input(e.Key)
	}
	w.WriteHeader(http.StatusNoContent)
}
