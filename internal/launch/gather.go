package launch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"reel/event"
	"reel/internal/rundir"
	"reel/reelfile"
)

// gather lists what lies in the run folder and counts what recordings hold.
func (r *run) gather() {
	r.result.Folder = r.folder.Path()
	r.result.Files = r.folder.Scan()
	byPID := map[int]*Process{}
	for _, f := range r.result.Files {
		if f.Kind != rundir.Recording {
			continue
		}
		one, err := readRecording(filepath.Join(r.folder.Path(), filepath.FromSlash(f.Path)))
		if err != nil {
			r.warn("%s: %v", f.Path, err)
			continue
		}
		p := byPID[one.PID]
		if p == nil {
			byPID[one.PID] = &one
			continue
		}
		p.Files++
		p.Events += one.Events
		p.Device += one.Device
		p.Dropped += one.Dropped
		p.Closed = p.Closed && one.Closed
	}
	for _, p := range byPID {
		r.result.Processes = append(r.result.Processes, *p)
	}
	slices.SortFunc(r.result.Processes, func(a, b Process) int { return cmp.Or(a.Rank-b.Rank, a.PID-b.PID) })
}

// readRecording counts what is in a recording.
func readRecording(path string) (p Process, err error) {
	src, err := reelfile.Open(path)
	if err != nil {
		return p, err
	}
	defer src.Close()
	p = Process{Files: 1, Closed: true}
	var b event.Batch
	for {
		err := src.Next(&b)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p, err
		}
		for _, k := range b.Kind {
			switch k {
			case event.Meta:
				continue
			case event.Activity:
				p.Device++
			}
			p.Events++
		}
	}
	info := src.Info()
	p.Host = info.Host
	p.PID, _ = strconv.Atoi(info.Props["pid"])
	if info.Rank != nil {
		p.Rank = *info.Rank
	}
	for _, w := range info.Warnings {
		switch w.Code {
		case "not-closed":
			p.Closed = false
		case "dropped":
			p.Dropped += w.Count
		}
	}
	return p, nil
}

// note completes run.json: for each process that left a recording and no note of
// its own, or none of its end, and for the launcher.
func (r *run) note() error {
	noted := map[int]rundir.Rank{}
	if ranks, err := r.folder.Ranks(); err == nil {
		for _, k := range ranks {
			noted[k.PID] = k
		}
	}
	var fault error
	for _, p := range r.result.Processes {
		k, ok := noted[p.PID]
		switch {
		case !ok:
			k = r.rank(p)
		case k.State == "recording" && !p.Closed: // it did not come to say more
			k.State, k.Ended = "lost", r.result.Ended
			k.Coverage = r.rank(p).Coverage
			for _, fault := range k.Faults { // run.json has them as they are
				r.say("rank %d (pid %d): %s", p.Rank, p.PID, fault)
			}
		default:
			continue
		}
		fault = errors.Join(fault, r.folder.Write(r.info, k))
	}
	code := r.result.Code
	l := &r.launch
	l.Started, l.Ended, l.ExitCode, l.Signal = r.result.Started, r.result.Ended, &code, r.result.Signal
	l.Missing, l.Lost, l.Files = r.result.Missing, r.result.Lost, r.result.Files
	l.Warnings = append(slices.Clone(r.result.Warnings), r.result.Nothing...)
	return errors.Join(fault, r.folder.WriteLaunch(r.info, *l))
}

// rank is what run.json says of a process.
func (r *run) rank(p Process) rundir.Rank {
	asked := "recording"
	if r.opt.Window != "" {
		asked = "window " + r.opt.Window
	}
	of := p.Files // of windows, only the process knows how many there were
	if r.opt.Window != "" {
		of = 0
	}
	k := rundir.Rank{Rank: p.Rank, PID: p.PID, Host: p.Host, State: "done", Started: r.result.Started, Ended: r.result.Ended,
		Environment: rundir.Environment(r.child.cmd.Env),
		Coverage:    []rundir.Coverage{{Asked: asked, Entered: p.Files, Of: of, Unit: "recordings", Events: p.Events, DeviceEvents: p.Device}}}
	if !p.Closed {
		k.State = "lost"
	}
	if p.Dropped > 0 {
		k.Dropped = map[string]int64{"recorder": p.Dropped}
	}
	for _, f := range r.result.Files {
		if f.Kind == rundir.Recording && owner(f.Path) == p.PID {
			k.Files = append(k.Files, f)
		}
	}
	return k
}

// owner is the process that a recording's name tells: rec-<rank>-<pid>….
func owner(path string) int {
	var rank, pid int
	if n, _ := fmt.Sscanf(filepath.Base(path), "rec-%d-%d", &rank, &pid); n == 2 {
		return pid
	}
	return -1
}

// redactedConfig is a profiler_config without home folders and secrets.
func redactedConfig(text []byte) any {
	var m map[string]any
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	for k, v := range m {
		if s, ok := v.(string); ok {
			m[k] = rundir.HideValue(s)
		}
	}
	return m
}
