package artifacts_test

import (
	"context"
	"fmt"
	"os"

	"reel/artifacts"
	"reel/control"
	"reel/rec"
	"reel/window"
)

// A program whose profiler is started and stopped from outside: by HTTP, by reel
// start and stop, or as here by itself.
func Example() {
	dir, err := os.MkdirTemp("", "perf")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	cfg, err := control.Parse([]byte(`{"profiler": "torch", "torch_profiler_dir": "` + dir + `", "torch_profiler_use_gzip": true}`))
	if err != nil {
		fmt.Println(err)
		return
	}

	var c *control.Controller
	r := rec.New(rec.Options{Iteration: func(u window.Unit) rec.Iteration { return c.Iteration(u) }})
	c, err = control.New(cfg, control.Options{App: "paint",
		Collectors: []control.Collector{artifacts.Collector(r)},
		Exporters:  []control.Exporter{artifacts.Exporter(artifacts.Options{})}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go control.ServeLocal(ctx, c) // reel status finds it

	if _, err := c.Start(control.StartOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	_ = r.Request(ctx, rec.RequestOptions{}, func(ctx context.Context) error {
		for range rec.Steps(ctx, 4) {
			r.Range(ctx, "model.forward").End()
		}
		return nil
	})
	s, err := c.Stop(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range s.Artifacts[1:] { // behind the recording, whose name has the pid
		fmt.Println(a.Path, "for", a.Viewer)
	}
	// Output:
	// trace_rank0.json.gz for reel view, or https://ui.perfetto.dev
	// ops_rank0.xlsx for a spreadsheet program
}
