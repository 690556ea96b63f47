// Command lanternbench measures what profiling costs Lantern: the same request without
// a profiler, with stage ranges alone, and with every activity, in turns within one
// process, medians over the rounds. It also says how far the host runs ahead: its time
// in the denoise steps beside the device's.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"reel/analyze"
	"reel/formats"
	"reel/lantern/checkpoint"
	"reel/lantern/device"
	"reel/lantern/pipeline"
	"reel/rec"
	"reel/timeline"
)

func main() {
	rounds := flag.Int("rounds", 15, "rounds of the three modes")
	steps := flag.Int("steps", 20, "denoise steps of a request")
	frames := flag.Int("frames", 17, "frames of a request")
	flag.Parse()
	if err := run(*rounds, pipeline.Request{Prompt: "a red circle moving right on a blue background", Steps: *steps, Frames: *frames}); err != nil {
		fmt.Fprintln(os.Stderr, "lanternbench:", err)
		os.Exit(1)
	}
}

// mode is a way to profile.
type mode struct {
	name   string
	engine *pipeline.Engine
	worker *rec.Worker
	path   string
	took   []time.Duration
}

func run(rounds int, r pipeline.Request) error {
	dir, err := os.MkdirTemp("", "lanternbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	off, err := open("off", dir, checkpoint.FS(), false, false)
	if err != nil {
		return err
	}
	stages, err := open("stage ranges", dir, checkpoint.FS(), true, false)
	if err != nil {
		return err
	}
	all, err := open("every activity", dir, checkpoint.FS(), true, true)
	if err != nil {
		return err
	}
	modes := []*mode{off, stages, all}
	for round := range rounds + 1 {
		for i := range modes {
			m := modes[(i+round)%len(modes)] // none is always first
			began := time.Now()
			if _, err := m.engine.Generate(context.Background(), r); err != nil {
				return err
			}
			if round > 0 { // the first one warms up
				m.took = append(m.took, time.Since(began))
			}
		}
	}
	for _, m := range modes {
		var ratios []float64
		for i, d := range m.took {
			ratios = append(ratios, float64(d)/float64(off.took[i]))
		}
		fmt.Printf("%-15s median %v, paired ratio to off: median %.4f (from %.3f to %.3f)\n", m.name, middle(m.took).Round(100*time.Microsecond), middle(ratios), slices.Min(ratios), slices.Max(ratios))
		if err := m.worker.Shutdown(); err != nil {
			return err
		}
		if err := m.engine.Close(); err != nil {
			return err
		}
	}
	return ahead(all.path)
}

// open opens an engine of its own for a mode.
func open(name, dir string, model fs.FS, record, activities bool) (*mode, error) {
	m := &mode{name: name, path: filepath.Join(dir, name+".reel")}
	m.worker = rec.NewWorker(rec.Noop{}, rec.WorkerOptions{})
	opt := pipeline.Options{}
	if record {
		r, err := rec.Open(m.path, rec.Options{MaxBytes: 4 << 30})
		if err != nil {
			return nil, err
		}
		m.worker = r.Worker()
		opt.Profile = device.Profile{Recorder: r, FLOPs: true}
	}
	if !activities {
		opt.Profile = device.Profile{Recorder: rec.New(rec.Options{})} // one that is off
	}
	opt.Worker = m.worker
	var err error
	m.engine, err = pipeline.Open(context.Background(), model, opt)
	return m, err
}

func middle[T int64 | float64 | time.Duration](v []T) T {
	s := slices.Clone(v)
	slices.Sort(s)
	return s[len(s)/2]
}

// ahead compares the host's time in denoise steps, without its waits, with the
// device's.
func ahead(path string) error {
	ctx := context.Background()
	src, err := formats.Open(ctx, path, formats.Options{})
	if err != nil {
		return err
	}
	tl, err := timeline.Build(ctx, src, timeline.Options{})
	if err != nil {
		return err
	}
	roles, err := analyze.LoadRoles()
	if err != nil {
		return err
	}
	s := analyze.Summarize(tl, roles)
	waits := map[timeline.NameID]bool{}
	for id := range tl.Names() {
		switch tl.Name(timeline.NameID(id)) {
		case "deviceEventSynchronize", "deviceStreamSynchronize", "deviceSynchronize":
			waits[timeline.NameID(id)] = true
		}
	}
	var host, busy []int64
	for _, st := range s.Steps {
		if st.GPUBusy == nil {
			continue
		}
		waited := int64(0)
		from := st.Start + tl.Origin
		for i, name := range tl.Ranges.Name {
			if at := tl.Ranges.Start[i]; waits[name] && at >= from && at < from+st.CPU {
				waited += tl.Ranges.Dur[i]
			}
		}
		host, busy = append(host, st.CPU-waited), append(busy, *st.GPUBusy)
	}
	if len(host) == 0 {
		return fmt.Errorf("no denoise step with device work in the recording")
	}
	fmt.Printf("denoise steps: host without waits %v, device busy %v: %.2f\n", time.Duration(middle(host)), time.Duration(middle(busy)), float64(middle(host))/float64(middle(busy)))
	return nil
}
