package rec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"reel/control"
	"reel/event"
	"reel/rec"
	"reel/reelfile"
	"reel/window"
)

// collector lets a session start and stop a Recorder.
type collector struct {
	r   *rec.Recorder
	run *control.Run
}

func (c *collector) Name() string { return "recording" }

func (c *collector) Prepare(run *control.Run) error { c.run = run; return nil }

func (c *collector) Start() error {
	name := fmt.Sprintf("rec-%d-%d.reel", c.run.Rank, os.Getpid())
	if err := c.r.Start(filepath.Join(c.run.Folder.Path(), name)); err != nil {
		return err
	}
	return c.run.Folder.Register(name, control.Recording, control.Source)
}

func (c *collector) Stop() (control.Seen, error) {
	done, err := c.r.Stop()
	if err != nil || done.Path == "" {
		return control.Seen{}, err
	}
	events, activities, err := rec.Count(done.Path)
	return control.Seen{Events: events, DeviceEvents: activities, Dropped: done.Counts.Dropped()}, err
}

// TestSession records a session of two of four requests, behind a warm-up.
func TestSession(t *testing.T) {
	for unit, want := range map[control.Unit]map[event.Role]int{
		control.Unit(window.Requests):     {event.Request: 2, event.Loop: 2, event.Step: 6},
		control.Unit(window.DenoiseSteps): {event.Step: 2},
	} {
		var c *control.Controller
		r := rec.New(rec.Options{Heap: true, Iteration: func(u window.Unit) rec.Iteration { return c.Iteration(u) }})
		dir := t.TempDir()
		var err error
		c, err = control.New(control.Config{Profiler: control.Torch, Dir: dir, Delay: 1, Max: 2, Unit: unit},
			control.Options{App: "toy", Collectors: []control.Collector{&collector{r: r}}})
		if err != nil {
			t.Fatal(err)
		}
		request := func(warm bool) {
			err := r.Request(context.Background(), rec.RequestOptions{WarmUp: warm}, func(ctx context.Context) error {
				for range rec.Steps(ctx, 3) {
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		request(true)
		if _, err := c.Start(control.StartOptions{}); err != nil {
			t.Fatal(err)
		}
		request(true)
		for range 4 {
			request(false)
		}
		s, err := c.Stop(context.Background())
		if err != nil || s.Recorded != 2 || len(s.Artifacts) == 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		got := roles(t, filepath.Join(s.Run, filepath.FromSlash(s.Artifacts[0].Path)))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("a session of %v holds %v, want %v", unit, got, want)
		}
	}
}

// roles counts the ranges of a recording by role.
func roles(t *testing.T, path string) map[event.Role]int {
	src, err := reelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	out := map[event.Role]int{}
	for e, err := range event.All(src) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Role != event.NoRole {
			out[e.Role]++
		}
	}
	return out
}

// TestControlWindows opens windows for collectors of the program, a Recorder among
// them: control.Windows fits in as a worker's recorder of windows.
func TestControlWindows(t *testing.T) {
	r := rec.New(rec.Options{Heap: true})
	spec, err := window.Parse("TEST", "0-1")
	if err != nil {
		t.Fatal(err)
	}
	ws := &control.Windows{Collectors: []control.Collector{&each{r: r, dir: t.TempDir()}}}
	w := rec.NewWorker(r, rec.WorkerOptions{Windows: spec, Recorder: ws})
	w.Request(context.Background(), rec.RequestOptions{}, func(ctx context.Context) error {
		for range 2 {
			for range rec.Steps(ctx, 5) {
			}
		}
		return nil
	})
	list, faults := w.Report()
	cover := ws.Coverage(list)
	if len(faults) > 0 || len(cover) != 1 || cover[0].Entered != 2 || cover[0].Events != 4 {
		t.Errorf("%+v, %v", cover, faults)
	}
}

// each records every window into a file of its own.
type each struct {
	r   *rec.Recorder
	dir string
	n   int
}

func (c *each) Name() string               { return "recording" }
func (c *each) Prepare(*control.Run) error { return nil }
func (c *each) Start() error {
	c.n++
	return c.r.Start(fmt.Sprintf("%s/%d.reel", c.dir, c.n))
}

func (c *each) Stop() (control.Seen, error) {
	done, err := c.r.Stop()
	if err != nil {
		return control.Seen{}, err
	}
	events, activities, err := rec.Count(done.Path)
	return control.Seen{Events: events, DeviceEvents: activities}, err
}
