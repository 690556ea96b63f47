package control

import (
	"errors"
	"testing"

	"reel/window"
)

// TestLastRefused opens no window that may have to be taken back where that cannot
// be done, and no gate in any case.
func TestLastRefused(t *testing.T) {
	st := &stage{}
	w := &Windows{Collectors: []Collector{fake{st, "a"}}, Gate: st}
	win := window.Window{Mode: window.Steps, Range: window.Range{Loop: window.LastLoop}, Provisional: true, To: -1}
	if err := w.Open(win); !errors.Is(err, window.ErrLastUnknown) || st.take() != "" {
		t.Errorf("without Drop: %v", err)
	}
	dropped := 0
	w.Drop = func(window.Window) error { dropped++; return nil }
	for range 2 {
		if err := w.Open(win); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(win); err != nil {
			t.Fatal(err)
		}
		w.Discard(win)
		want(t, "steps", st.take(), "a.prepare a.start a.stop")
	}
	if f := w.Faults(); dropped != 2 || len(f) != 1 || !errors.Is(f[0], window.ErrLastUnknown) {
		t.Errorf("%d dropped, faults %v", dropped, f)
	}
	win.Provisional = false
	if err := w.Open(win); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(win); err != nil {
		t.Fatal(err)
	}
	want(t, "a known loop", st.take(), "a.prepare on a.start a.stop off")
}
