package webui

import (
	"encoding/binary"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestTile reads a tile as the page does and compares it with the times of the trace.
func TestTile(t *testing.T) {
	s := New(runOf(t, small), Options{})
	st := s.now.Load()
	band := slices.IndexFunc(st.pic.tracks, func(t track) bool { return t.Kind == "device" })
	w := ask(s.Handler(), "/api/tile?l=136&i=0&b="+url.QueryEscape(string(rune('0'+st.pic.tracks[band].Band))))
	b := w.Body.Bytes()
	le := binary.LittleEndian
	if w.Code != 200 || le.Uint32(b) != tileMagic || le.Uint32(b[12:]) != 1 || le.Uint16(b[28:]) != 1 || le.Uint32(b[32:]) != 2 {
		t.Fatalf("%d, head % x", w.Code, b[:min(len(b), 40)])
	}
	width, cover := math.Exp2(136.0/8), b[36:36+tileCols]
	for k, c := range cover {
		from, to := float64(k)*width+1e6, float64(k+1)*width+1e6 // the page's time begins at 1 ms
		part := 0.0
		for _, x := range [][2]float64{{11e6, 16e6}, {23e6, 29e6}} {
			part += max(0, min(to, x[1])-max(from, x[0]))
		}
		want := 0
		if part > 0 {
			want = int(1 + 254*part/width + 0.5)
		}
		if d := int(c) - want; d < -1 || d > 1 {
			t.Fatalf("column %d: %d, want %d", k, c, want)
		}
	}
	if !strings.Contains(string(b), "gemm_bf16") {
		t.Error("the names are missing")
	}
}

func TestThin(t *testing.T) {
	run := runOf(t, small)
	got := Thin(run)
	var names []string
	busy := 0.0
	for _, r := range got.Rows {
		if r.Name != "" {
			names = append(names, r.Name)
		}
		for _, m := range r.Marks {
			if r.Name == "stream 7" {
				busy += m.To - m.From
			}
		}
	}
	if !slices.Contains(names, "stream 7") || !slices.Contains(names, "model thread, Python") {
		t.Errorf("rows %q", names)
	}
	if want := 11.0 / 40 * thinCols; math.Abs(busy-want) > 4 {
		t.Errorf("the stream covers %.1f columns, want %.1f", busy, want)
	}
}
