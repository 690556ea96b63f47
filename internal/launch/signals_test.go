//go:build unix

package launch

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// apart is a session without a terminal.
var apart = &syscall.SysProcAttr{Setsid: true}

// TestSignals sends signals to a launcher without a terminal: each reaches the
// command once, SIGINT twice as well, and the exit code is the command's.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		argv string
		send []syscall.Signal
		code int
	}{
		{`"BIN/stubborn","1"`, []syscall.Signal{syscall.SIGINT}, 3},
		{`"BIN/stubborn","2"`, []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 3},
		{`"BIN/stubborn","0"`, []syscall.Signal{syscall.SIGUSR1, syscall.SIGTERM}, 4},
		{`"BIN/stubborn","0"`, []syscall.Signal{syscall.SIGHUP}, 129}, // its default ends the command
		{`"BIN/stubborn","0"`, []syscall.Signal{syscall.SIGQUIT}, 2},  // as the Go runtime ends on it
	} {
		s := launchIt(t, apart, nil, `{"Argv":[`+c.argv+`]}`)
		s.expect(t, "ready")
		for i, sig := range c.send {
			if err := s.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if i < len(c.send)-1 || sig == syscall.SIGINT || sig == syscall.SIGTERM {
				s.expect(t, "got "+signalName(sig))
			}
		}
		r := s.result(t)
		if r.Code != c.code || len(r.Nothing) == 0 {
			t.Errorf("%s %v: exit code %d, want %d; %q", c.argv, c.send, r.Code, c.code, r.Nothing)
		}
		for _, sig := range c.send {
			if n := s.count("got " + signalName(sig)); n > len(c.send) {
				t.Errorf("%s: %v came %d times", c.argv, sig, n)
			}
		}
	}
}

// TestTimeout ends commands that do not want to, each step announced.
func TestTimeout(t *testing.T) {
	for _, c := range []struct {
		ints  string
		code  int
		steps []string
	}{
		{"1", 3, []string{"SIGINT to the command"}},
		{"0", 4, []string{"SIGINT to the command", "after SIGINT the command still runs: SIGTERM"}},
		{"-1", 137, []string{"SIGINT to the command", "after SIGINT the command still runs: SIGTERM", "after SIGTERM the command still runs: SIGKILL"}},
	} {
		s := launchIt(t, apart, nil, `{"Argv":["BIN/stubborn","`+c.ints+`"],"Timeout":1000000000,"Steps":`+strconv.Itoa(len(c.steps))+`}`)
		r := s.result(t)
		if r.Code != c.code || len(r.Warnings) != len(c.steps) {
			t.Errorf("%s: exit code %d, want %d; %q", c.ints, r.Code, c.code, r.Warnings)
			continue
		}
		for i, step := range c.steps {
			if !strings.Contains(r.Warnings[i], step) {
				t.Errorf("%s: step %d is %q, want %q", c.ints, i, r.Warnings[i], step)
			}
		}
		if (c.code == 137) != (r.Signal == "SIGKILL") {
			t.Errorf("%s: signal %q", c.ints, r.Signal)
		}
	}
}
