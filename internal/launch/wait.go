package launch

import (
	"os"
	"slices"
	"syscall"
	"time"
)

// wait waits for the end of the command's first process, passing signals on and
// ending it when its time is over.
func (r *run) wait() {
	var over <-chan time.Time
	if r.opt.Timeout > 0 {
		over = r.opt.after(r.opt.Timeout)
	}
	for step := 0; ; {
		select {
		case <-r.child.done:
			r.result.Ended = time.Now()
			r.result.Code, r.result.Signal = ended(r.child.cmd.ProcessState)
			r.late()
			return
		case s := <-r.child.signals:
			r.handle(s)
		case <-over:
			r.escalate(step)
			step++
			over = r.opt.after(r.opt.Grace)
		}
	}
}

// late handles signals that came before the command ended, perhaps as its end: they and it
// may be told in either order.
func (r *run) late() {
	for {
		select {
		case s := <-r.child.signals:
			r.handle(s)
		case <-time.After(lateSignal):
			return
		}
	}
}

// lateSignal is how long a signal may take from the kernel to its channel.
const lateSignal = 5 * time.Millisecond

// endings are the signals that end Reel's own work. What Reel was told to ignore stays
// ignored.
func endings() []os.Signal {
	return slices.DeleteFunc(forwarded(), func(s os.Signal) bool { return s != os.Interrupt && s != syscall.SIGTERM && s != syscall.SIGHUP })
}

// handle passes a signal on. One that the terminal gives to all processes in front
// has reached the command already; SIGINT means Ctrl-C and goes to its whole
// group, the others to the command alone, as without Reel.
func (r *run) handle(s os.Signal) {
	if s == childEnded {
		r.deaths = append(r.deaths, reap(r.child.others)...)
		return
	}
	ends := s == os.Interrupt || s == syscall.SIGTERM
	if ends {
		r.ordered, r.result.Interrupt = true, true
	}
	if r.child.tty != nil && fromTerminal(s) && inFront(r.child.tty) {
		if ends {
			r.say("%s: the command has it too; waiting for it to end", signalName(s))
		}
		return
	}
	if ends {
		r.say("%s: passed on to the command; waiting for it to end", signalName(s))
	}
	if s == os.Interrupt {
		r.signalGroup(s)
		return
	}
	_ = r.child.cmd.Process.Signal(s) // it may have ended
}

// escalation are the signals that end a command, each after a grace.
var escalation = [...]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}

// escalate sends the next of them; the recording survives each.
func (r *run) escalate(step int) {
	r.ordered = true
	r.launch.Timeout = r.opt.Timeout.String()
	switch step {
	case 0:
		r.warn("timeout of %v: SIGINT to the command; SIGTERM follows after %v", r.opt.Timeout, r.opt.Grace)
	case 1:
		r.warn("%v after SIGINT the command still runs: SIGTERM; SIGKILL follows after %v", r.opt.Grace, r.opt.Grace)
	case 2:
		r.warn("%v after SIGTERM the command still runs: SIGKILL to all of its processes; what they recorded is kept", r.opt.Grace)
		r.killAll()
		return
	default:
		r.say("the command still runs, in the kernel; SIGKILL waits for it to come back")
		return
	}
	r.signalGroup(escalation[step])
}

// signalGroup signals the command and what shares its process group.
func (r *run) signalGroup(s os.Signal) {
	pid := r.child.cmd.Process.Pid
	switch {
	case r.child.own:
		_ = kill(-pid, s) // it may have ended
	case canFollow:
		for _, p := range r.child.living() {
			if p.group == thisGroup() {
				_ = kill(p.pid, s)
			}
		}
	default:
		_ = r.child.cmd.Process.Signal(s)
	}
}

// killAll kills the tree, whatever groups and sessions its processes have made.
func (r *run) killAll() {
	r.signalGroup(syscall.SIGKILL)
	_ = r.child.cmd.Process.Kill() // it may have ended
	for range 20 {                 // a process may fork while it is looked for
		left := r.child.living()
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			_ = kill(p.pid, syscall.SIGKILL)
		}
		r.deaths = append(r.deaths, reap(r.child.others)...)
		time.Sleep(10 * time.Millisecond)
	}
}
