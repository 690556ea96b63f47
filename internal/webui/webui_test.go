package webui

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/analyze"
	"reel/event"
	"reel/internal/rundir"
	"reel/timeline"
)

// small is a request of an encoder, two steps and a decoder, with frames.
const small = `
info rank 0
info device 0 "H100"
track "model" "model thread"
range request "generate" at 1ms for 40ms
range annotation "pipeline.encode" at 2ms for 4ms
range step "model.step[0]" at 8ms for 10ms
range python "pipe.py(12): step" at 8.5ms for 9ms
range op "aten::mm" at 9ms for 3ms id 1
range runtime "cudaLaunchKernel" at 10ms for 1ms cause 7
range step "model.step[1]" at 20ms for 9ms
range op "aten::mm" at 21ms for 3ms id 2
range runtime "cudaLaunchKernel" at 22ms for 1ms cause 8
range annotation "pipeline.decode" at 30ms for 5ms
mark "present.frame [step 0]" at 19ms
mark "present.frame [step 1]" at 31ms
mark "present.frame [step 1]" at 35ms
counter "queue" at 5ms value 3
counter "queue" at 15ms value 9
track gpu0/7 "stream 7"
gpu kernel "gemm_bf16" at 11ms for 5ms cause 7
gpu kernel "gemm_bf16" at 23ms for 6ms cause 8
`

func runOf(t testing.TB, text string) *Run {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: analyze.OpsArgs, MarkArgs: analyze.MemoryArgs})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := analyze.LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	s, d := analyze.Examine(tl, roles, analyze.ExamineOptions{})
	return &Run{Title: "a run", Roles: roles, Ranks: []analyze.Rank{{TL: tl, Derived: analyze.Derive(tl, roles), Path: "small.txt"}},
		Document: analyze.Finalize(analyze.NewPartial(tl, s, d))}
}

// ask asks the handler and returns the reply.
func ask(h http.Handler, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host = "127.0.0.1:7000"
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func reply[T any](t *testing.T, h http.Handler, target string) (v T) {
	t.Helper()
	w := ask(h, target)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", target, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return v
}

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
}

func TestEveryFileOfThePageIsServed(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	for path, kind := range map[string]string{"/": "text/html", "/main.js": "text/javascript", "/style.css": "text/css", "/icon.svg": "image/svg"} {
		if w := ask(h, path); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) {
			t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Content-Type"))
		}
	}
}

func TestOverview(t *testing.T) {
	o := reply[struct {
		End    int64 `json:"end_ns"`
		Tracks []struct{ Kind, Name, Part string }
		Ranks  []struct {
			Busy   struct{ Share []int }
			Frames struct{ Shown int }
		}
		Summary struct{ Steps []any }
	}](t, New(runOf(t, small), Options{}).Handler(), "/api/run")
	var tracks []string
	for _, x := range o.Tracks {
		tracks = append(tracks, strings.TrimRight(x.Kind+" "+x.Part, " "))
	}
	want := []string{"plan", "frames", "host ranges", "host operators and calls", "host Python", "device"}
	if !slices.Equal(tracks, want) {
		t.Errorf("tracks %v", tracks)
	}
	if o.End != 40e6 || o.Ranks[0].Frames.Shown != 3 || len(o.Ranks[0].Busy.Share) != busyCols {
		t.Errorf("%+v", o)
	}
}

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

func TestItemsLeadToEachOther(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	it := reply[itemJSON](t, h, "/api/item?ref=0.d0")
	if it.Name != "gemm_bf16" || it.Launch == nil || it.Launch.Name != "cudaLaunchKernel" || it.Step != "0" || len(it.Places) != 2 {
		t.Fatalf("%+v", it)
	}
	if !slices.ContainsFunc(it.Stack, func(l linkJSON) bool { return l.Name == "pipe.py(12): step" && l.Class == "python" }) {
		t.Errorf("stack %+v", it.Stack)
	}
	call := reply[itemJSON](t, h, "/api/item?ref="+it.Launch.Ref)
	if call.Work == nil || call.Work.Count != 1 || call.Work.Some[0].Ref != "0.d0" {
		t.Errorf("%+v", call.Work)
	}
	step := reply[itemJSON](t, h, "/api/item?ref=0.p2")
	if step.Class != "step" || step.Work == nil || step.Work.Sum != 5e6 {
		t.Errorf("%+v %+v", step, step.Work)
	}
}

func TestSelection(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	s := reply[selectJSON](t, h, "/api/select?from=7000000&to=12000000") // 8 to 13 ms of the trace
	if s.Ranks[0].Busy != 2e6 || s.Kernels[0].Name != "gemm_bf16" || s.Kernels[0].NS != 2e6 {
		t.Errorf("%+v", s)
	}
	var sum int64
	for _, c := range s.Calls {
		sum += c.NS
	}
	if sum != 5e6 { // own times add up to the whole
		t.Errorf("calls %+v: %d ns", s.Calls, sum)
	}
}

func TestSearchAndFind(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	s := reply[searchJSON](t, h, "/api/search?q=GEMM")
	if s.Count != 2 || s.Names != 1 || s.Hits[0].Sum != 11e6 || s.Hits[0].Ref != "0.d1" {
		t.Errorf("%+v", s)
	}
	next := reply[linkJSON](t, h, "/api/find?q=gemm&t=10000000")
	back := reply[linkJSON](t, h, "/api/find?q=gemm&t=22000000&dir=prev")
	none := reply[linkJSON](t, h, "/api/find?q=gemm&t=22000000")
	if next.Ref != "0.d1" || back.Ref != "0.d0" && back.Ref != "0.d1" || none.Ref != "" {
		t.Errorf("next %q, back %q, none %q", next.Ref, back.Ref, none.Ref)
	}
}

func TestFrameIsFollowed(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	f := reply[frameJSON](t, h, "/api/frame?n=2")
	var what []string
	for _, c := range f.Chain {
		what = append(what, c.What)
	}
	if f.Story.Frame.Frame != 2 || !slices.Contains(what, "step") || !slices.Contains(what, "device") || what[len(what)-1] != "shown" {
		t.Errorf("%v", what)
	}
	if w := ask(h, "/api/frame?n=99"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "there are frames 0 to 2") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestFlameAddsUp(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	for by, want := range map[string]int64{"cpu": 40e6, "device": 11e6} {
		f := reply[flameJSON](t, h, "/api/flame?by="+by)
		var self int64
		for _, ns := range f.Self {
			self += ns
		}
		if f.Total != want || self != want {
			t.Errorf("%s: total %d, own times %d, want %d", by, f.Total, self, want)
		}
	}
	part := reply[flameJSON](t, h, "/api/flame?by=cpu&from=7000000&to=12000000")
	if part.Total != 5e6 {
		t.Errorf("of a selection of 5 ms: %d ns", part.Total)
	}
}

func TestTablesAnswer(t *testing.T) {
	h := New(runOf(t, small), Options{}).Handler()
	for _, by := range []string{"name", "shape", "stack"} {
		if o := reply[analyze.OpsReport](t, h, "/api/ops?by="+by); len(o.Rows) == 0 {
			t.Errorf("by %s: no rows", by)
		}
	}
	if k := reply[struct{ Rows []kernelRow }](t, h, "/api/kernels"); len(k.Rows) != 1 || k.Rows[0].Count != 2 || k.Rows[0].Class != "matrix" {
		t.Errorf("%+v", k)
	}
	for _, name := range reportNames() {
		if r := reply[statsJSON](t, h, "/api/stats?report="+name); r.Skipped == "" && len(r.Cols) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	c := reply[struct{ Curves []curveJSON }](t, h, "/api/curves")
	if !slices.ContainsFunc(c.Curves, func(c curveJSON) bool { return c.Name == "queue" && slices.Equal(c.V, []int64{3, 9}) }) {
		t.Errorf("%+v", c)
	}
}

func TestCompare(t *testing.T) {
	slow := strings.Replace(small, `"gemm_bf16" at 23ms for 6ms`, `"gemm_bf16" at 23ms for 9ms`, 1)
	h := New(runOf(t, small), Options{Other: runOf(t, slow)}).Handler()
	c := reply[compareJSON](t, h, "/api/compare")
	if len(c.Work) != 1 || c.Work[0].delta() != 3e6 || len(c.Steps) != 1 || len(c.Steps[0].A) != 2 {
		t.Errorf("%+v", c)
	}
	same := reply[compareJSON](t, New(runOf(t, small), Options{Other: runOf(t, small)}).Handler(), "/api/compare")
	if len(same.Work)+len(same.Ops)+len(same.Stage) != 0 || same.Same.Kernels != 1 {
		t.Errorf("%+v", same)
	}
}

func TestFilesOfTheRunAlone(t *testing.T) {
	dir := t.TempDir()
	run := runOf(t, small)
	run.Folder, run.Files = dir, []rundir.Artifact{{ID: "1", Path: "clip.gif"}, {ID: "2", Path: "page.html"}, {ID: "3", Path: "out.txt"}}
	outside := filepath.Join(t.TempDir(), "secret")
	for path, text := range map[string]string{filepath.Join(dir, "clip.gif"): "GIF89a", filepath.Join(dir, "page.html"): "<script>", outside: "secret"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out.txt")); err != nil {
		t.Skip(err)
	}
	h := New(run, Options{}).Handler()
	if w := ask(h, "/api/file?id=1&show=1"); w.Code != 200 || w.Header().Get("Content-Type") != "image/gif" {
		t.Errorf("the clip: %d %v", w.Code, w.Header())
	}
	if w := ask(h, "/api/file?id=2&show=1"); w.Header().Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("a page of the run must be saved, not shown: %v", w.Header())
	}
	for _, id := range []string{"3", "4", "", "../secret", outside} {
		if w := ask(h, "/api/file?id="+url.QueryEscape(id)); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "secret\n") {
			t.Errorf("file %q: %d %s", id, w.Code, w.Body)
		}
	}
}

func TestPerfetto(t *testing.T) {
	w := ask(New(runOf(t, small), Options{}).Handler(), "/api/perfetto")
	if w.Code != 200 || w.Body.Len() < 100 || !strings.Contains(w.Header().Get("Content-Disposition"), "trace.pftrace") {
		t.Errorf("%d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
}

// TestFollow opens the events and waits for the run to be replaced: it ends when that
// happens, and hangs when it does not.
func TestFollow(t *testing.T) {
	longer := runOf(t, small+"gpu kernel \"late\" at 39ms for 2ms\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	s := New(runOf(t, small), Options{Reload: func(context.Context) (*Run, error) {
		switch calls++; calls {
		case 1:
			return nil, errors.New("being written")
		case 2:
			return longer, nil
		}
		return nil, nil
	}})
	srv := httptest.NewServer(s.Handler())
	defer srv.Close()
	var faults []string
	done := make(chan struct{})
	go func() { defer close(done); s.Follow(ctx, func(err error) { faults = append(faults, err.Error()) }) }()
	got, err := http.Get(srv.URL + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	lines := bufio.NewScanner(got.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), `"generation":2`) {
	}
	o := reply[struct{ Generation int64 }](t, s.Handler(), "/api/run")
	if o.Generation != 2 {
		t.Errorf("generation %d", o.Generation)
	}
	cancel()
	<-done
	if !slices.Equal(faults, []string{"being written"}) {
		t.Errorf("faults %v", faults)
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

func TestAnEmptyRun(t *testing.T) {
	h := New(runOf(t, "info rank 0\n"), Options{}).Handler()
	for _, path := range []string{"run", "search?q=x", "select", "ops", "kernels", "flame?by=device", "flame", "curves", "compare", "find?q=x", "at"} {
		if w := ask(h, "/api/"+path); w.Code != 200 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, q := range []string{"ref=0.h3", "l=136&i=0&b=0,1,2", "from=0&to=1000000&by=device&python=0", "b=1&row=0&t=1e6&w=3", "q=gemm&t=5&dir=prev", "rank=0&n=1", "report=nvtx_sum", "ref=0.d99999999999", "l=-9e9", "b=,", "t=NaN&w=Inf", "%zz", "from=9&to=1"} {
		f.Add(q)
	}
	s := New(runOf(f, small), Options{})
	h := s.Handler()
	paths := []string{"item", "tile", "flame", "at", "find", "frame", "stats", "select", "search", "ops", "file"}
	f.Fuzz(func(t *testing.T, q string) {
		for _, p := range paths {
			r := &http.Request{Method: http.MethodGet, Host: "localhost", Header: http.Header{}, URL: &url.URL{Path: "/api/" + p, RawQuery: q}, Body: http.NoBody}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r.WithContext(context.Background()))
			if w.Code != 200 && w.Code != 400 && w.Code != 404 {
				t.Fatalf("%s?%s: %d", p, q, w.Code)
			}
			_, _ = io.Copy(io.Discard, w.Body)
		}
	})
}
