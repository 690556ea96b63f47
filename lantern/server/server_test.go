package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reel/rec"
)

// engine is an engine that draws plain pictures, and waits where a test says so.
type engine struct {
	gate  chan struct{} // nil lets everything pass
	calls atomic.Int64
	most  atomic.Int64 // at the same time
	now   atomic.Int64
}

func (e *engine) Model() string { return "lantern" }

func (e *engine) Generate(ctx context.Context, j Job) (out Output, err error) {
	e.calls.Add(1)
	n := e.now.Add(1)
	defer e.now.Add(-1)
	for m := e.most.Load(); n > m && !e.most.CompareAndSwap(m, n); m = e.most.Load() {
	}
	if j.Width > 512 {
		return out, fmt.Errorf("%w: the model makes at most 512 pixels", ErrRequest)
	}
	if j.Prompt == "break" {
		return out, errors.New("the device is lost")
	}
	err = rec.Request(ctx, rec.RequestOptions{}, func(ctx context.Context) error {
		diffuse := rec.Stage(ctx, "diffuse")
		for range rec.Steps(ctx, max(j.Steps, 1)) {
			if e.gate != nil {
				select {
				case <-e.gate:
				case <-ctx.Done():
					diffuse.End()
					return ctx.Err()
				}
			}
		}
		diffuse.End()
		rec.Stage(ctx, "decode").End()
		return nil
	})
	for range max(j.Frames, 1) {
		out.Frames = append(out.Frames, image.NewRGBA(image.Rect(0, 0, 8, 8)))
	}
	out.Rate, out.PeakMemory = 16, 3<<20
	return out, err
}

func serve(t *testing.T, e Engine, o Options) (*Server, *httptest.Server) {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	s := New(e, o)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s, h
}

// post sends a JSON body and returns the status and the decoded reply.
func post(t *testing.T, url, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	defer r.Body.Close()
	data, _ := io.ReadAll(r.Body)
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Errorf("%s: %q: %v", url, data, err)
	}
	return r.StatusCode, v
}

func TestImages(t *testing.T) {
	_, h := serve(t, &engine{}, Options{})
	code, v := post(t, h.URL+"/v1/images/generations", `{"model": "Qwen/Qwen-Image", "prompt": "a red circle", "n": 2, "seed": 7}`)
	if code != 200 || len(v["data"].([]any)) != 2 || v["seed"] != 7.0 || len(v["warnings"].([]any)) != 1 {
		t.Fatalf("%d %v", code, v)
	}
	b64 := v["data"].([]any)[0].(map[string]any)["b64_json"].(string)
	raw, err := base64.StdEncoding.DecodeString(b64)
	if err == nil {
		_, err = png.Decode(bytes.NewReader(raw))
	}
	if err != nil {
		t.Error(err)
	}
}

func TestBadRequests(t *testing.T) {
	_, h := serve(t, &engine{}, Options{Body: 4096})
	for _, c := range []struct {
		body, want string
		code       int
	}{
		{`{`, "no JSON object", 400},
		{`[]`, "no JSON object", 400},
		{`null`, "no JSON object", 400},
		{`{"prompt":"a"} {}`, "more than one", 400},
		{`{}`, "prompt: a text is wanted", 400},
		{`{"prompt":"  "}`, "prompt", 400},
		{`{"prompt":5}`, "prompt: a text is wanted", 400},
		{`{"prompt":"a","n":0}`, "n: ", 400},
		{`{"prompt":"a","n":1.5}`, "whole number", 400},
		{`{"prompt":"a","n":99999999999999999999}`, "whole number", 400},
		{`{"prompt":"a","size":"0x5"}`, "WIDTHxHEIGHT", 400},
		{`{"prompt":"a","size":"9999999999999999x5"}`, "WIDTHxHEIGHT", 400},
		{`{"prompt":"a","seed":-1}`, "seed", 400},
		{`{"prompt":"a","guidance_scale":"NaN"}`, "guidance_scale", 400},
		{`{"prompt":"a","response_format":"url"}`, "only b64_json", 400},
		{`{"prompt":"a","width":600}`, "at most 512", 400},
		{`{"prompt":"` + strings.Repeat("a", 9000) + `"}`, "", 413},
		{`{"prompt":"break"}`, "the device is lost", 500},
	} {
		code, v := post(t, h.URL+"/v1/images/generations", c.body)
		e, _ := v["error"].(map[string]any)
		if code != c.code || !strings.Contains(fmt.Sprint(e["message"]), c.want) {
			t.Errorf("%.60s: %d %v", c.body, code, v)
		}
	}
}

// TestQueue: one runs, two wait, the others are refused; none gets lost.
func TestQueue(t *testing.T) {
	e := &engine{gate: make(chan struct{})}
	s, h := serve(t, e, Options{Waiting: 2})
	var codes [4]atomic.Int64
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			code, _ := post(t, h.URL+"/v1/images/generations", `{"prompt":"a"}`)
			codes[map[int]int{200: 0, 429: 1}[code]].Add(1)
		})
	}
	for codes[1].Load() < 7 { // the others hold their places
		time.Sleep(time.Millisecond)
	}
	if s.queue.running() != 1 || s.queue.waiting() != 2 {
		t.Errorf("%d run, %d wait", s.queue.running(), s.queue.waiting())
	}
	close(e.gate)
	wg.Wait()
	if codes[0].Load() != 3 || codes[1].Load() != 7 || e.most.Load() != 1 {
		t.Errorf("%d served, %d refused, %d at a time", codes[0].Load(), codes[1].Load(), e.most.Load())
	}
}

// TestVideoJob follows a job from its creation to its removal.
func TestVideoJob(t *testing.T) {
	e := &engine{gate: make(chan struct{})}
	_, h := serve(t, e, Options{})
	code, job := post(t, h.URL+"/v1/videos", `{"prompt":"a","num_frames":3}`)
	id, _ := job["id"].(string)
	if code != 200 || id == "" || job["object"] != "video" {
		t.Fatalf("%d %v", code, job)
	}
	if r, _ := http.Get(h.URL + "/v1/videos/" + id + "/content"); r.StatusCode != http.StatusConflict {
		t.Errorf("content before the end: %d", r.StatusCode)
	}
	close(e.gate)
	wait := func(id, want string) map[string]any {
		for {
			r, err := http.Get(h.URL + "/v1/videos/" + id)
			if err != nil {
				t.Fatal(err)
			}
			var v map[string]any
			_ = json.NewDecoder(r.Body).Decode(&v)
			r.Body.Close()
			if v["completed_at"] != nil || r.StatusCode != 200 {
				if v["status"] != want {
					t.Errorf("%v", v)
				}
				return v
			}
			time.Sleep(time.Millisecond)
		}
	}
	wait(id, "completed")
	r, err := http.Get(h.URL + "/v1/videos/" + id + "/content")
	if err != nil || r.StatusCode != 200 || (r.Header.Get("Content-Type") != "image/gif" && r.Header.Get("Content-Type") != "video/mp4") {
		t.Errorf("%v %v", r, err)
	}
	_, bad := post(t, h.URL+"/v1/videos", `{"prompt":"break"}`)
	wait(bad["id"].(string), "failed")
	q, _ := http.NewRequest("DELETE", h.URL+"/v1/videos/"+id, nil)
	if r, err := http.DefaultClient.Do(q); err != nil || r.StatusCode != 200 {
		t.Errorf("%v %v", r, err)
	}
	if r, _ := http.Get(h.URL + "/v1/videos/" + id); r.StatusCode != 404 {
		t.Errorf("a job that was removed: %d", r.StatusCode)
	}
}

// TestVideoForm: a form with a picture, as vLLM-Omni's clients send it.
func TestVideoForm(t *testing.T) {
	var body, pic bytes.Buffer
	if err := png.Encode(&pic, image.NewRGBA(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	form := multipart.NewWriter(&body)
	for k, v := range map[string]string{"prompt": "a", "size": "64x48", "seconds": "2", "fps": "8", "num_inference_steps": "3"} {
		_ = form.WriteField(k, v)
	}
	f, _ := form.CreateFormFile("input_reference", "../../x.png")
	_, _ = f.Write(pic.Bytes())
	form.Close()
	got := make(chan Job, 1)
	_, h := serve(t, seen{got}, Options{})
	r, err := http.Post(h.URL+"/v1/videos/sync", form.FormDataContentType(), &body)
	if err != nil || r.StatusCode != 200 || r.Header.Get("X-Inference-Time-S") == "" {
		t.Fatalf("%v %v", r, err)
	}
	if j := <-got; j.Width != 64 || j.Height != 48 || j.Frames != 16 || j.Steps != 3 || j.Image == nil {
		t.Errorf("%+v", j)
	}
}

// seen passes on what it was asked for.
type seen struct{ got chan Job }

func (s seen) Model() string { return "seen" }
func (s seen) Generate(ctx context.Context, j Job) (Output, error) {
	s.got <- j
	return Output{Frames: []*image.RGBA{image.NewRGBA(image.Rect(0, 0, 8, 8))}, Rate: 8}, nil
}

// TestStageTimes: stages with counts, nesting and rest; their sum and the rest are
// the whole.
func TestStageTimes(t *testing.T) {
	st := NewStageTimes(nil)
	_, h := serve(t, &engine{}, Options{StageTimes: st, Worker: rec.NewWorker(st, rec.WorkerOptions{})})
	code, v := post(t, h.URL+"/v1/images/generations", `{"prompt":"a","num_inference_steps":5}`)
	if code != 200 {
		t.Fatal(v)
	}
	data, _ := json.Marshal(v["stage_times"])
	var all []StageReport
	if err := json.Unmarshal(data, &all); err != nil || len(all) != 1 {
		t.Fatalf("%s %v", data, err)
	}
	got := map[string]int{}
	sum := all[0].Other
	for _, s := range all[0].Stages {
		got[s.Path] = s.Count
		if !strings.Contains(s.Path, "/") {
			sum += s.Seconds
		}
	}
	if got["request/pipeline.diffuse"] != 1 || got["request/pipeline.decode"] != 1 {
		t.Errorf("%v", got)
	}
	steps := 0
	for path, n := range got {
		if strings.HasSuffix(path, "/denoise") {
			steps += n
		}
	}
	if steps != 5 || sum < all[0].Total*0.999 || sum > all[0].Total*1.001 {
		t.Errorf("%d steps; %v of %v s: %v", steps, sum, all[0].Total, got)
	}
	if v["stage_durations"].(map[string]any)["pipeline.diffuse"] == nil {
		t.Errorf("%v", v)
	}
}

func TestProfilePathsWithoutProfiler(t *testing.T) {
	_, h := serve(t, &engine{}, Options{})
	for _, path := range []string{"/start_profile", "/stop_profile"} {
		if r, _ := http.Post(h.URL+path, "", nil); r.StatusCode != 404 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	r, err := http.Get(h.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(r.Body); !strings.Contains(string(b), "reel_requests_running 0") {
		t.Errorf("%s", b)
	}
}

// TestClose: what waits is told, what runs in the background ends, nothing is
// taken on.
func TestClose(t *testing.T) {
	e := &engine{gate: make(chan struct{})}
	s := New(e, Options{Log: slog.New(slog.DiscardHandler)})
	h := httptest.NewServer(s)
	defer h.Close()
	if code, v := post(t, h.URL+"/v1/videos", `{"prompt":"a"}`); code != 200 {
		t.Fatal(v)
	}
	for e.now.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if code, _ := post(t, h.URL+"/v1/images/generations", `{"prompt":"a"}`); code != 503 {
		t.Errorf("a request behind the end: %d", code)
	}
}

// FuzzBody feeds bodies to the reader of requests.
func FuzzBody(f *testing.F) {
	f.Add(`{"prompt":"a","n":1,"size":"8x8","seed":"3"}`, "application/json")
	f.Add("prompt=a&fps=3", "application/x-www-form-urlencoded")
	f.Add("--x\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\na\r\n--x--", "multipart/form-data; boundary=x")
	s := New(&engine{}, Options{Log: slog.New(slog.DiscardHandler), Body: 1 << 16})
	f.Fuzz(func(t *testing.T, body, kind string) {
		r := httptest.NewRequest("POST", "/v1/videos", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		p, err := s.readBody(httptest.NewRecorder(), r)
		if err != nil {
			return
		}
		_, _, _ = p.videoJob()
		_, _, _ = s.imageJob(p)
	})
}
