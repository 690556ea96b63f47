//go:build linux

package launch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reel/internal/rundir"
)

// TestExportFails: half an export is none, and what is said to run later works.
func TestExportFails(t *testing.T) {
	s := newScene(t, "nsys", "say")
	opt := Options{Argv: []string{"say", "0"}, Backend: NewNsys("", nil), Report: "my run/"}
	r, err := s.run(opt, fakeHalf+"=1")
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob("my run/*"); len(left) != 3 { // .ranks, the report, run.json
		t.Errorf("%q", left)
	}
	if left, _ := filepath.Glob("my run/.export*"); len(left) > 0 {
		t.Errorf("%q", left)
	}
	said := strings.Join(r.Warnings, "\n")
	_, later, _ := strings.Cut(said, "No space left on device; later: nsys export --type=sqlite --force-overwrite=true '")
	report, ok := strings.CutSuffix(later, "'")
	if !ok || !exists(report) {
		t.Fatalf("%q", said)
	}
	write(t, strings.TrimSuffix(report, reportSuffix)+".sqlite", "", 0o644)
	t.Setenv(fakeExport, report)
	if code := standInExport([]string{"--type=sqlite", "--force-overwrite=true", report}); code != 0 {
		t.Errorf("the command that is named ends with %d", code)
	}
}

// hung is the process that a stand-in that hangs left its pid of.
func hung(t *testing.T, log string) int {
	t.Helper()
	for range 500 {
		if b, err := os.ReadFile(log + ".pid"); err == nil && len(b) > 0 {
			pid, err := strconv.Atoi(string(b))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("nsys does not hang")
	return 0
}

// ends waits for the end of a process.
func ends(pid int) bool {
	for range 200 {
		if !alive(pid) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// TestExportInterrupted: a signal ends an export and all of its processes; the run stays,
// and the exit code is the command's.
func TestExportInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		log := filepath.Join(t.TempDir(), "calls")
		s := launchIt(t, apart, nil, `{"Argv":["BIN/say","5"],"Nsys":"BIN/nsys"}`, fakeLog+"="+log, fakeHalf+"=hang")
		s.expect(t, "reel: exporting ")
		pid := hung(t, log)
		if err := s.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		r := s.result(t)
		if r.Code != 5 || !r.Interrupt || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "is not exported: interrupted; later: ") || len(r.Files) != 1 || r.Files[0].Kind != rundir.NsysReport {
			t.Errorf("%v: exit code %d, %q, %v", sig, r.Code, r.Warnings, r.Files)
		}
		if left, _ := os.ReadDir(r.Folder); len(left) != 3 || !ends(pid) { // .ranks, the report, run.json
			t.Errorf("%v: there lie %v, and nsys lives: %v", sig, left, alive(pid))
		}
	}
}

// TestExportAfterInterrupt: the signal that ended the command does not end the export.
func TestExportAfterInterrupt(t *testing.T) {
	sample := filepath.Join(t.TempDir(), "x.sqlite")
	write(t, sample, "SQLite format 3\x00", 0o644)
	s := launchIt(t, apart, nil, `{"Argv":["BIN/stubborn","1"],"Nsys":"BIN/nsys"}`, fakeExport+"="+sample)
	s.expect(t, "ready")
	if err := s.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if r := s.result(t); r.Code != 3 || !r.Interrupt || len(r.Warnings) > 0 || len(r.Files) != 2 {
		t.Errorf("exit code %d, %q, %v", r.Code, r.Warnings, r.Files)
	}
}

// TestProbeInterrupted: a signal ends an nsys that does not tell its version, and nothing
// is made.
func TestProbeInterrupted(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	s := launchIt(t, apart, nil, `{"Argv":["BIN/say","5"],"Nsys":"BIN/nsys"}`, fakeLog+"="+log, fakeMute+"=1")
	pid := hung(t, log)
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if said := s.expect(t, "error: "); !strings.HasSuffix(said, "--version gave no answer: context canceled") {
		t.Error(said)
	}
	if left, _ := os.ReadDir(s.Dir); len(left) > 0 || !ends(pid) {
		t.Errorf("made %v; nsys lives: %v", left, alive(pid))
	}
}

// TestOrderedLinger: of a command that was told to end, what is left is not waited for as
// long.
func TestOrderedLinger(t *testing.T) {
	s := launchIt(t, apart, nil, `{"Argv":["BIN/stubborn","0","BIN/sleeper"],"Linger":60000000000}`)
	s.expect(t, "ready")
	began := time.Now()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if r := s.result(t); r.Code != 4 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "ended with SIGTERM what the command left running: process ") || time.Since(began) > 30*time.Second {
		t.Errorf("exit code %d after %v, %q", r.Code, time.Since(began), r.Warnings)
	}
}

// TestShebang: what isolates a Python is found in a script's first line as well.
func TestShebang(t *testing.T) {
	t.Chdir(t.TempDir())
	env := newEnviron([]string{"PATH=" + cwd(t)})
	for line, want := range map[string]string{
		"#!/usr/bin/python3 -I":               "-I",
		"#! /usr/bin/env -S python3 -IS -u\n": "-I -S",
		"#!/usr/bin/env -Spython3 -E\nx":      "-E",
		"#!/opt/venv/bin/python3 -S\n":        "-S",
		"#!/usr/bin/env python3\n":            "",
		"#!/bin/sh -E\n":                      "",
		"\x7fELF python -I":                   "",
		"":                                    "",
	} {
		write(t, "tool", line, 0o755)
		for _, argv := range []string{"tool", "./tool -I", "env A=1 tool --x"} {
			if got := isolation(strings.Fields(argv), env); got != want {
				t.Errorf("%q, %s: %q, want %q", line, argv, got, want)
			}
		}
	}
}
