package launch

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// linger waits for processes that outlive the command's first one: they may still
// write. Those of its process group are then ended; those that went into a session
// of their own are daemons, left alone and named, unless the run was told to end.
func (r *run) linger() {
	patience := r.opt.Linger
	if r.ordered { // and so were they, mostly
		patience = min(patience, orderedLinger)
	}
	deadline := time.Now().Add(patience)
	told := time.Now().Add(300 * time.Millisecond)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		r.deaths = append(r.deaths, reap(r.child.others)...)
		left, known := r.left()
		if !left {
			return
		}
		if now := time.Now(); !told.IsZero() && now.After(told) {
			told = time.Time{}
			r.say("the command has ended and left %s running; waiting up to %v for what they write (Ctrl-C waits no longer)", processes(known), patience)
		} else if now.After(deadline) {
			break
		}
		select {
		case s := <-r.child.signals:
			if s == os.Interrupt || s == syscall.SIGTERM {
				r.ordered, r.result.Interrupt = true, true
				deadline = time.Now()
			}
		case <-tick.C:
		}
	}
	r.endLeft()
}

// orderedLinger is for processes that outlive a command that was told to end.
const orderedLinger = 2 * time.Second

// left reports whether anything of the command lives, and lists it where trees can
// be followed.
func (r *run) left() (bool, []proc) {
	if !canFollow {
		return r.child.own && groupLives(r.child.cmd.Process.Pid), nil
	}
	list := r.child.living()
	return len(list) > 0, list
}

// endLeft ends what the command left behind, as linger says.
func (r *run) endLeft() {
	group := thisGroup()
	if r.child.own {
		group = r.child.cmd.Process.Pid
	}
	pick := func() (mine, daemons []proc) {
		_, list := r.left()
		for _, p := range list {
			if p.group == group || r.ordered {
				mine = append(mine, p)
			} else {
				daemons = append(daemons, p)
			}
		}
		return mine, daemons
	}
	mine, daemons := pick()
	if len(daemons) > 0 {
		r.warn("left running, in a session of their own: %s", processes(daemons))
	}
	if !canFollow {
		r.signalGroup(syscall.SIGTERM)
		return
	}
	if len(mine) == 0 {
		return
	}
	r.warn("ended with SIGTERM what the command left running: %s", processes(mine))
	for _, p := range mine {
		_ = kill(p.pid, syscall.SIGTERM)
	}
	for end := time.Now().Add(min(r.opt.Grace, 5*time.Second)); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		r.deaths = append(r.deaths, reap(r.child.others)...)
		if mine, _ = pick(); len(mine) == 0 {
			return
		}
	}
	r.warn("ended with SIGKILL: %s", processes(mine))
	for _, p := range mine {
		_ = kill(p.pid, syscall.SIGKILL)
	}
}

// processes writes a list of processes: "2 processes (71 python, 72 python)".
func processes(list []proc) string {
	const most = 6
	var parts []string
	for i, p := range list {
		if i == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", p.pid, p.name))
	}
	switch len(list) {
	case 0:
		return "processes"
	case 1:
		return "process " + parts[0]
	}
	return fmt.Sprintf("%d processes (%s)", len(list), strings.Join(parts, ", "))
}
