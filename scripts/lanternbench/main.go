// Command lanternbench measures what profiling costs Lantern: the same request without
// a profiler, with stage ranges alone, and with every activity, in turns within one
// process, medians over the rounds with the 95 % interval of each. A second engine without
// a profiler runs beside them: its ratio is 1 but for the machine's noise. It also says
// how far the host runs ahead: its time in the denoise steps beside the device's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
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
	rounds := flag.Int("rounds", 40, "rounds of the four modes")
	steps := flag.Int("steps", 20, "denoise steps of a request")
	frames := flag.Int("frames", 17, "frames of a request")
	flag.Parse()
	if err := run(*rounds, pipeline.Request{Prompt: "a red circle moving right on a blue background", Steps: *steps, Frames: *frames}); err != nil {
		fmt.Fprintln(os.Stderr, "lanternbench:", err)
		os.Exit(1)
	}
}

// modes are the ways to profile, none of them first; the second is for the noise.
var modes = []struct {
	name               string
	record, activities bool
}{{"off", false, false}, {"off again", false, false}, {"stage ranges", true, false}, {"every activity", true, true}}

// perOpening is after how many rounds all engines are opened anew: where their memory
// lies makes one or another a percent faster for as long as it lives.
const perOpening = 8

// took are the times of a mode, a round each.
type took struct{ wall, processor []float64 }

func run(rounds int, r pipeline.Request) error {
	dir, err := os.MkdirTemp("", "lanternbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	times := make([]took, len(modes))
	for done := 0; done < rounds; done += perOpening {
		if err := opening(dir, done/perOpening, min(perOpening, rounds-done), r, times); err != nil {
			return err
		}
	}
	for i, m := range modes {
		fmt.Printf("%-15s median %v, paired ratio to off: wall %s, processor time %s\n", m.name, time.Duration(1e9*middle(times[i].wall)).Round(100*time.Microsecond), ratio(times[i].wall, times[0].wall), ratio(times[i].processor, times[0].processor))
	}
	return ahead(filepath.Join(dir, modes[len(modes)-1].name+".reel"))
}

// opening opens an engine for each mode, in an order that turns, and times rounds of a
// request in turns.
func opening(dir string, n, rounds int, r pipeline.Request, times []took) error {
	engines := make([]*engine, len(modes))
	for i := range modes {
		k := (i + n) % len(modes)
		m := modes[k]
		var err error
		if engines[k], err = open(filepath.Join(dir, m.name+".reel"), m.record, m.activities); err != nil {
			return err
		}
	}
	for round := range rounds + 1 {
		for i := range modes {
			k := (i + round + n) % len(modes)
			began, used := time.Now(), processor()
			if _, err := engines[k].Generate(context.Background(), r); err != nil {
				return err
			}
			if round > 0 { // the first one warms up
				times[k].wall = append(times[k].wall, time.Since(began).Seconds())
				times[k].processor = append(times[k].processor, (processor() - used).Seconds())
			}
		}
	}
	for _, e := range engines {
		if err := e.close(); err != nil {
			return err
		}
	}
	return nil
}

// processor is the processor time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no other error than a wrong argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// engine is an opened engine with what records it.
type engine struct {
	*pipeline.Engine
	worker *rec.Worker
}

func (e *engine) close() error {
	return errors.Join(e.worker.Shutdown(), e.Engine.Close())
}

// open opens an engine of its own for a mode.
func open(path string, record, activities bool) (*engine, error) {
	e := &engine{worker: rec.NewWorker(rec.Noop{}, rec.WorkerOptions{})}
	opt := pipeline.Options{}
	if record {
		if err := os.RemoveAll(path); err != nil { // of the opening before
			return nil, err
		}
		r, err := rec.Open(path, rec.Options{MaxBytes: 4 << 30})
		if err != nil {
			return nil, err
		}
		e.worker = r.Worker()
		opt.Profile = device.Profile{Recorder: r, FLOPs: true}
	}
	if !activities {
		opt.Profile = device.Profile{Recorder: rec.New(rec.Options{})} // one that is off
	}
	opt.Worker = e.worker
	var err error
	e.Engine, err = pipeline.Open(context.Background(), checkpoint.FS(), opt)
	return e, err
}

// ratio tells the median of the paired ratios and its 95 % interval by order
// statistics: the ranks n/2 ∓ 0.98 √n (Conover, Practical Nonparametric Statistics, 3.2).
func ratio(v, to []float64) string {
	s := make([]float64, len(v))
	for i := range v {
		s[i] = v[i] / to[i]
	}
	slices.Sort(s)
	half, mid := 0.98*math.Sqrt(float64(len(s))), float64(len(s))/2
	low, high := s[max(int(mid-half), 0)], s[min(int(math.Ceil(mid+half)), len(s)-1)]
	return fmt.Sprintf("%.4f (%.4f to %.4f)", s[len(s)/2], low, high)
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
