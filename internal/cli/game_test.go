package cli

import (
	"context"
	"image"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reel/lantern/live"
	"reel/lantern/session"
	"reel/rec"
)

// heard is a profiler that counts inputs.
type heard struct {
	rec.Noop
	n int
}

func (h *heard) InputReceived(_ rec.Time, count int) { h.n += count }

// silent is an application whose first step lasts until a test says so.
type silent struct{ end chan struct{} }

func (a *silent) Init(_ context.Context, s *session.Session) error {
	s.Model(func(context.Context, session.Step) (session.Result, error) {
		<-a.end
		return session.Result{}, session.ErrDone
	})
	return nil
}

// TestGameInput: the page may send before a session runs, and what no game knows; a
// key named reset is the restart.
func TestGameInput(t *testing.T) {
	g := &game{}
	g.input("left") // nobody is there
	g.restart()
	g.close()
	var h heard
	synctest.Test(t, func(t *testing.T) {
		app := &silent{make(chan struct{})} // of the bubble, or its time would never stand still
		over := make(chan struct{})
		go func() {
			defer close(over)
			if _, err := session.Run(t.Context(), initDone{app, g}, session.Options{Profiler: &h}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		g.input("left", "say: a green square", "say: ", "say x", "reset", "<script>", "")
		close(app.end)
		<-over
		g.close()
		g.input("left")
	})
	if h.n != 2 {
		t.Errorf("%d events", h.n)
	}
}

// initDone gives the game its session as Init does.
type initDone struct {
	*silent
	g *game
}

func (a initDone) Init(ctx context.Context, s *session.Session) error {
	a.g.session.Store(s)
	return a.silent.Init(ctx, s)
}

// TestGameRate: the presenter's own count, in bounded memory.
func TestGameRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &game{screen: live.New(nil, nil)}
		for i := range 100 {
			time.Sleep(40 * time.Millisecond)
			if i == 50 {
				time.Sleep(60 * time.Millisecond)
			}
			if err := g.show(t.Context(), session.Frame{Image: image.NewRGBA(image.Rect(0, 0, 1, 1)), New: true}); err != nil {
				t.Fatal(err)
			}
		}
		if g.count != 100 || g.longest != 100*time.Millisecond || g.rate() < 24.9 || g.rate() > 25.1 {
			t.Errorf("%d frames, longest %v, %v a second", g.count, g.longest, g.rate())
		}
	})
}

// TestServeByPID: a server is found by its pid while it runs, and not behind it.
func TestServeByPID(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", t.TempDir())
	var said strings.Builder
	a := &app{IO: IO{Err: &said}}
	stop := a.serveByPID(http.NotFoundHandler())
	if !strings.Contains(running(), "there are --pid ") {
		t.Errorf("%s; %s", running(), said.String())
	}
	stop()
	if strings.Contains(running(), "there are --pid ") {
		t.Error(running())
	}
}
