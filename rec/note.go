package rec

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"reel/internal/rundir"
	"reel/window"
)

// note keeps the run.json of what a worker records by itself, without a session, in
// a run folder. What goes wrong with it is no concern of the recording.
type note struct {
	dir  string
	info rundir.Info
	rank rundir.Rank

	mu     sync.Mutex
	folder *rundir.Folder // nil before there is something to say
	err    error          // the first one
}

// newNote makes the note on a run folder; it makes no file yet.
func newNote(dir, app, windows string, rank, world int) *note {
	host, _ := os.Hostname() // a note does without
	n := &note{dir: dir, info: rundir.Describe(app)}
	n.info.Window, n.info.World = windows, world
	n.rank = rundir.Rank{Rank: rank, PID: os.Getpid(), Host: host, State: "recording", Started: time.Now(), Environment: rundir.Environment(os.Environ())}
	return n
}

// add lists a recording, or what was made of one.
func (n *note) add(path string, kind rundir.Kind, role rundir.Role) {
	if n == nil || path == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.open() {
		return
	}
	abs, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.Rel(n.folder.Path(), abs)
	}
	if err == nil {
		err = n.folder.Register(path, kind, role)
	}
	n.keep(err)
	n.write()
}

// end says what was asked for and seen. Where nothing was recorded there is a note
// all the same when windows were asked for: an empty run says why it is one.
func (n *note) end(cover []rundir.Coverage, dropped int64, faults []error) error {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	asked := slices.ContainsFunc(cover, func(c rundir.Coverage) bool { return c.Of > 0 })
	if n.rank.State != "recording" || n.folder == nil && !asked || !n.open() {
		return n.err
	}
	n.rank.State, n.rank.Ended, n.rank.Coverage = "done", time.Now(), cover
	if dropped > 0 {
		n.rank.Dropped = map[string]int64{"recording": dropped}
	}
	for _, err := range faults {
		n.rank.State = "failed"
		n.rank.Faults = append(n.rank.Faults, err.Error())
	}
	n.write()
	n.keep(n.folder.Close())
	return n.err
}

// open makes the folder; n.mu is held.
func (n *note) open() bool {
	if n.folder == nil {
		var err error
		n.folder, err = rundir.Join(n.dir)
		n.keep(err)
	}
	return n.folder != nil
}

func (n *note) write() {
	n.rank.Files = n.folder.Artifacts()
	n.keep(n.folder.Write(n.info, n.rank))
}

func (n *note) keep(err error) {
	if n.err == nil {
		n.err = err
	}
}

// unitOf is what windows are counted by.
func unitOf(asked string) string {
	switch asked {
	case window.All.String(), window.PreDenoise.String(), window.PostDenoise.String(), window.Decode.String():
		return "requests"
	}
	return "loops"
}

// covered joins what windows asked for and entered with the events that their
// recordings hold.
func covered(report []window.Coverage, done []Captured) []rundir.Coverage {
	sums := map[string]rundir.Coverage{}
	for _, x := range done {
		asked := x.Window.Asked()
		sum := sums[asked]
		sum.Events += x.Events
		sum.DeviceEvents += x.Activities
		sums[asked] = sum
	}
	out := make([]rundir.Coverage, len(report))
	for i, r := range report {
		out[i] = rundir.Coverage{Asked: "window " + r.Asked, Entered: r.Entered, Of: r.Of, Unit: unitOf(r.Asked), Events: sums[r.Asked].Events,
			DeviceEvents: sums[r.Asked].DeviceEvents, Missed: r.Missed}
	}
	return out
}
