package webui

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	paths := []string{"item", "tile", "flame", "at", "find", "frame", "stats", "select", "search", "ops", "file", "again"}
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

// TestEmptyListsAreLists: the page goes through them.
func TestEmptyListsAreLists(t *testing.T) {
	for name, run := range map[string]*Run{"no rank": {Document: analyze.Finalize(analyze.MergeAll())}, "no event": runOf(t, "info rank 0\n")} {
		body := ask(New(run, Options{}).Handler(), "/api/run").Body.String()
		for _, list := range []string{"ranks", "tracks", "bands", "places", "files", "reports", "healthy", "not_answerable"} {
			if strings.Contains(body, `"`+list+`":null`) {
				t.Errorf("%s: %s is null", name, list)
			}
		}
	}
}

func TestEveryModuleIsPreloaded(t *testing.T) {
	index, err := page.ReadFile("page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	files, err := page.ReadDir("page")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".js") && f.Name() != "main.js" && !strings.Contains(string(index), `<link rel="modulepreload" href="`+f.Name()+`">`) {
			t.Errorf("%s is not preloaded", f.Name())
		}
	}
}

func TestTheRunsNoteIsTold(t *testing.T) {
	run := runOf(t, small)
	run.Note = &rundir.Run{Info: rundir.Info{Window: "50-60"}, Coverage: []string{"window 50-60: nothing"}, Warnings: []string{"rank 1 crashed"},
		Launch: &rundir.Launch{Missing: []string{"nvtx"}}, Ranks: []rundir.Rank{{State: "done"}, {Rank: 1, State: "failed"}}}
	n := reply[struct{ Run noteJSON }](t, New(run, Options{}).Handler(), "/api/run").Run
	if n.Window != "50-60" || len(n.Coverage) != 1 || len(n.Warnings) != 1 || !slices.Equal(n.Missing, []string{"nvtx"}) || !slices.Equal(n.Unready, []string{"rank 1: failed"}) {
		t.Errorf("%+v", n)
	}
}
