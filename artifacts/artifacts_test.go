package artifacts_test

import (
	"archive/zip"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reel/analyze"
	"reel/artifacts"
	"reel/control"
	"reel/formats"
	"reel/internal/rundir"
	"reel/rec"
	"reel/timeline"
	"reel/window"
)

// generate runs a request of four steps, each of which launches a kernel.
func generate(t *testing.T, w *rec.Worker, stream *rec.Stream) {
	t.Helper()
	err := w.Request(context.Background(), rec.RequestOptions{}, func(ctx context.Context) error {
		for range rec.Steps(ctx, 4) {
			r := w.Recording()
			f := w.Range(ctx, "model.forward")
			g, link := r.Launch(ctx, "launch attn")
			start := rec.Now()
			g.End()
			time.Sleep(time.Millisecond) // to be seen in whole microseconds
			f.End()
			if link != 0 {
				r.Activity(stream, rec.Activity{Name: "attn", Link: link, Start: uint64(start), Dur: 22_000})
			}
		}
		rec.Stage(ctx, "decode").End()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// session records a session of two requests as a profiler_config says, and returns
// what it left.
func session(t *testing.T, config map[string]any, opt artifacts.Options) control.Session {
	t.Helper()
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := control.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var c *control.Controller
	r := rec.New(rec.Options{Heap: true, Iteration: func(u window.Unit) rec.Iteration { return c.Iteration(u) }})
	c, err = control.New(cfg, control.Options{App: "toy", Rank: 0, Collectors: []control.Collector{artifacts.Collector(r)},
		Exporters: []control.Exporter{artifacts.Exporter(opt)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Start(control.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	stream := rec.NewStream(0, 7, "stream 7", nil)
	for range 2 {
		generate(t, r.Worker(), stream)
	}
	s, err := c.Stop(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// names lists the files of a run folder, with the process's number left out.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name[0] != '.' {
			out = append(out, strings.ReplaceAll(name, strconv.Itoa(os.Getpid()), "PID"))
		}
	}
	return out
}

// TestMinimalConfigs leaves for each configuration of vLLM-Omni's document the files
// that it lists, and no other beside the recording and the note on the run.
func TestMinimalConfigs(t *testing.T) {
	snapshot := artifacts.Options{Memory: func(_ context.Context, w io.Writer) error {
		_, err := w.Write([]byte("\x80\x04}."))
		return err
	}}
	own := []string{"rec-0-PID.reel", "run.json"}
	stacks := []string{"stacks_cpu_rank0.txt", "stacks_cuda_rank0.txt"}
	for name, c := range map[string]struct {
		config map[string]any
		opt    artifacts.Options
		files  []string
		sheets []string
	}{
		"trace":          {nil, snapshot, []string{"ops_rank0.xlsx", "trace_rank0.json"}, []string{"summary"}},
		"compressed":     {map[string]any{"use_gzip": true}, snapshot, []string{"ops_rank0.xlsx", "trace_rank0.json.gz"}, []string{"summary"}},
		"tables":         {map[string]any{"record_shapes": true, "with_stack": true}, snapshot, append([]string{"ops_rank0.xlsx", "trace_rank0.json"}, stacks...), []string{"summary", "by_shape", "by_stack"}},
		"memory":         {map[string]any{"record_shapes": true, "with_stack": true, "with_memory": true}, snapshot, append([]string{"memory_snapshot_rank0.pickle", "ops_rank0.xlsx", "trace_rank0.json"}, stacks...), []string{"summary", "by_shape", "by_stack"}},
		"no snapshots":   {map[string]any{"with_memory": true}, artifacts.Options{}, []string{"ops_rank0.xlsx", "trace_rank0.json"}, []string{"summary"}},
		"time total":     {map[string]any{"dump_cuda_time_total": true}, artifacts.Options{}, []string{"ops_rank0.xlsx", "profiler_out_0.txt", "trace_rank0.json"}, []string{"summary"}},
		"FLOPs, no file": {map[string]any{"with_flops": true}, artifacts.Options{}, []string{"ops_rank0.xlsx", "trace_rank0.json"}, []string{"summary"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := map[string]any{"profiler": "torch", "torch_profiler_dir": t.TempDir()}
			for k, v := range c.config {
				config["torch_profiler_"+k] = v
			}
			s := session(t, config, c.opt)
			want := append(slices.Clone(c.files), own...)
			slices.Sort(want)
			if got := names(t, s.Run); !slices.Equal(got, want) {
				t.Errorf("files %q, want %q", got, want)
			}
			if len(s.Artifacts) != len(c.files)+1 {
				t.Errorf("the reply lists %d files, want %d: %+v", len(s.Artifacts), len(c.files)+1, s.Artifacts)
			}
			if got := sheets(t, filepath.Join(s.Run, "ops_rank0.xlsx")); !slices.Equal(got, c.sheets) {
				t.Errorf("sheets %q, want %q", got, c.sheets)
			}
		})
	}
}

// sheets lists the sheets of a workbook.
func sheets(t *testing.T, path string) (out []string) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open("xl/workbook.xml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := xml.NewDecoder(f).Decode(&book); err != nil {
		t.Fatal(err)
	}
	for _, s := range book.Sheets {
		out = append(out, s.Name)
	}
	return out
}

// open reads a trace or recording.
func open(t *testing.T, path string) (*timeline.Timeline, *analyze.Derived) {
	t.Helper()
	src, err := formats.Open(context.Background(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	tl, err := timeline.Build(context.Background(), src, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := analyze.LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	return tl, analyze.Derive(tl, roles)
}

// TestContents looks into what a session left: the trace says what the recording
// does, and tables and stacks hold the kernels.
func TestContents(t *testing.T) {
	s := session(t, map[string]any{"profiler": "torch", "torch_profiler_dir": t.TempDir(), "torch_profiler_use_gzip": true,
		"torch_profiler_with_stack": true, "torch_profiler_dump_cuda_time_total": true}, artifacts.Options{})
	for _, name := range []string{"trace_rank0.json.gz", "rec-0-" + strconv.Itoa(os.Getpid()) + ".reel"} {
		tl, d := open(t, filepath.Join(s.Run, name))
		if got := [...]int{tl.Activities.Len(), len(d.Requests), len(d.Steps), len(d.Stages)}; got != [...]int{8, 2, 8, 2} {
			t.Errorf("%s: activities, requests, steps, stages %v", name, got)
		}
	}
	for name, want := range map[string]string{"stacks_cuda_rank0.txt": "request;denoise.loop;denoise[2];model.forward;launch_attn;attn 4", "stacks_cpu_rank0.txt": "denoise[0];model.forward ", "profiler_out_0.txt": "Self CUDA time total: 17"} {
		data, err := os.ReadFile(filepath.Join(s.Run, name))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: no %q in\n%s%v", name, want, data, err)
		}
	}
	run, err := rundir.Read(s.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range run.Ranks[0].Files {
		if want := map[bool]rundir.Role{true: rundir.Source, false: rundir.Derived}[f.Kind == rundir.Recording]; f.Role != want {
			t.Errorf("%s is %s, want %s", f.Path, f.Role, want)
		}
	}
}

// TestFailure has one artifact fail: it is named in the reply, and the others are
// there.
func TestFailure(t *testing.T) {
	cfg := control.Config{Profiler: control.Torch, Dir: t.TempDir(), Memory: true, Stack: true}
	r := rec.New(rec.Options{Heap: true})
	c, err := control.New(cfg, control.Options{App: "toy", Collectors: []control.Collector{artifacts.Collector(r)},
		Exporters: []control.Exporter{artifacts.Exporter(artifacts.Options{Memory: func(context.Context, io.Writer) error { return errors.New("no history") }})}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Start(control.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	generate(t, r.Worker(), rec.NewStream(0, 7, "", nil))
	s, err := c.Stop(context.Background())
	if err == nil || !strings.Contains(err.Error(), "memory_snapshot_rank0.pickle: no history") {
		t.Errorf("stop: %v", err)
	}
	if got := len(names(t, s.Run)); got != 6 {
		t.Errorf("files %q", names(t, s.Run))
	}
}

// TestTrace makes traces of windows under the names that TensorRT-LLM's variables give.
func TestTrace(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{rec.EnvTRTWindow: "0,2-3", rec.EnvTRTTrace: filepath.Join(dir, "t.json.gz"), "RANK": "3"}
	w, err := rec.FromEnv(func(k string) string { return env[k] }, rec.EnvOptions{Export: artifacts.Trace, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	generate(t, w, rec.NewStream(0, 7, "", nil))
	if err := w.Shutdown(); err != nil {
		t.Fatal(err)
	}
	for name, steps := range map[string]int{"t-rank-3.json.gz": 1, "t-rank-3-window-1.json.gz": 2} {
		tl, d := open(t, filepath.Join(dir, name))
		if len(d.Steps) != steps || tl.Activities.Len() != steps || tl.Info.Format != "kineto" || tl.Info.Rank == nil || *tl.Info.Rank != 3 {
			t.Errorf("%s: %d steps, %d activities, want %d; %s, rank %v", name, len(d.Steps), tl.Activities.Len(), steps, tl.Info.Format, tl.Info.Rank)
		}
	}
	if err := artifacts.Trace(filepath.Join(dir, "none.reel"), filepath.Join(dir, "x.json")); err == nil {
		t.Error("a trace of nothing")
	}
}

// TestWindows records and exports each window of a request into one run folder.
func TestWindows(t *testing.T) {
	dir := t.TempDir()
	folder, err := rundir.Create(dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	r := rec.New(rec.Options{Heap: true})
	ws := &control.Windows{Run: control.Run{Folder: folder, Config: control.Config{Profiler: control.Torch}},
		Collectors: []control.Collector{artifacts.Collector(r)}, Exporters: []control.Exporter{artifacts.Exporter(artifacts.Options{})}}
	spec, err := window.Parse("TEST", "0-1")
	if err != nil {
		t.Fatal(err)
	}
	w := rec.NewWorker(r, rec.WorkerOptions{Windows: spec, Recorder: ws})
	stream := rec.NewStream(0, 7, "", nil)
	for range 2 {
		generate(t, w, stream)
	}
	if _, faults := w.Report(); len(faults) > 0 {
		t.Error(faults)
	}
	for i := range 2 {
		_, d := open(t, filepath.Join(folder.Path(), "trace_rank0-request-"+strconv.Itoa(i)+"-loop-0-steps-0-1.json"))
		if len(d.Steps) != 2 {
			t.Errorf("window %d: %d steps", i, len(d.Steps))
		}
	}
	if got := names(t, folder.Path()); len(got) != 6 {
		t.Errorf("files %q", got)
	}
}
