package artifacts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"reel/control"
	"reel/internal/rundir"
	"reel/rec"
)

// Collector lets a session, or the windows of a request (control.Windows), start and
// stop a Recorder. The recording lies in the run folder as rec-<rank>-<pid>.reel;
// those of windows say in their name which one they are of.
func Collector(r *rec.Recorder) control.Collector { return &collector{r: r} }

type collector struct {
	r       *rec.Recorder
	run     *control.Run
	running bool
}

// Name names it in messages.
func (c *collector) Name() string { return "recording" }

// Prepare notes the run: a Recorder needs no warm-up.
func (c *collector) Prepare(run *control.Run) error {
	c.run = run
	return nil
}

// maxSame bounds the search for a name that is free.
const maxSame = 10_000

// Start begins the recording under a name that nothing has yet.
func (c *collector) Start() error {
	stem, suffix := rundir.Split(recordingName(c.run))
	for n := 1; n <= maxSame; n++ {
		name := stem + suffix
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, suffix)
		}
		err := c.r.Start(filepath.Join(c.run.Folder.Path(), name))
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		c.running = true
		return c.run.Folder.Register(name, control.Recording, control.Source)
	}
	return fmt.Errorf("%d recordings of this name lie in %s", maxSame, c.run.Folder.Path())
}

// Stop ends the recording and says what it holds.
func (c *collector) Stop() (control.Seen, error) {
	if !c.running { // it is another one's that runs
		return control.Seen{}, nil
	}
	c.running = false
	done, err := c.r.Stop()
	return control.Seen{Events: done.Events, DeviceEvents: done.Activities, Dropped: done.Counts.Dropped()}, err
}
