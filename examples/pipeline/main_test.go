package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/cli"
	"reel/rec"
	"reel/reelfile"
)

// TestReadme runs the blocks of the README, one command after the other, and
// compares what they print.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var got, want strings.Builder
	for line := range strings.Lines(string(text)) {
		line, ok := strings.CutPrefix(line, "    ")
		if !ok {
			continue
		}
		want.WriteString(line)
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			got.WriteString(line)
			got.WriteString(execute(t, strings.Fields(command)))
		}
	}
	if got.String() != want.String() {
		t.Errorf("the README's commands print\n%s\nwant\n%s", got.String(), want.String())
	}
}

// execute runs a command of the README in this process.
func execute(t *testing.T, args []string) string {
	var out, errs bytes.Buffer
	switch args[0] {
	case "pipeline":
		if err := run(context.Background(), args[1:], &out); err != nil {
			t.Error(err)
		}
	case "reel":
		std := cli.IO{Out: &out, Err: &errs, Getenv: func(string) string { return "" }}
		if code := cli.Run(context.Background(), args[1:], std); code != 0 {
			t.Errorf("%v: exit %d: %s", args, code, errs.String())
		}
	case "ls":
		names, err := filepath.Glob("*.reel")
		if err != nil {
			t.Error(err)
		}
		out.WriteString(strings.Join(names, "\n") + "\n")
	default:
		t.Fatalf("the README runs %q", args[0])
	}
	return out.String()
}

// TestRecording opens what the pipeline leaves: requests, stages and steps are
// there, and every activity of the device has its launch.
func TestRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.reel")
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-o", path, "-requests", "3", "-steps", "5"}, &out); err != nil {
		t.Fatal(err)
	}
	src, err := reelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	roles, stages := map[event.Role]int{}, map[string]int{}
	launches, open := map[int64]bool{}, 0
	var activities []int64
	for e, err := range event.All(src) {
		if err != nil {
			t.Fatal(err)
		}
		roles[e.Role]++
		switch {
		case e.Role == event.Stage:
			stages[e.Name]++
		case e.Class == event.Runtime:
			launches[e.Link] = true
		case e.Kind == event.Activity:
			activities = append(activities, e.Link)
		}
		for _, a := range e.Args {
			if a.Key == "unfinished" {
				open++
			}
		}
	}
	for role, n := range map[event.Role]int{event.WarmUp: 1, event.Request: 3, event.Loop: 4, event.Step: 20, event.Stage: 12} {
		if roles[role] != n {
			t.Errorf("%d ranges are %v, want %d", roles[role], role, n)
		}
	}
	for _, name := range []string{"pipeline.encode", "pipeline.diffuse", "pipeline.decode"} {
		if stages[name] != 4 {
			t.Errorf("%s comes %d times", name, stages[name])
		}
	}
	if want := 4 * (5*6 + 1); len(activities) != want || open > 0 {
		t.Errorf("%d activities, want %d; %d ranges are open", len(activities), want, open)
	}
	for _, link := range activities {
		if !launches[link] {
			t.Errorf("an activity has no launch: %d", link)
		}
	}
	if warnings := src.Info().Warnings; len(warnings) > 0 {
		t.Error(warnings)
	}
}

// TestWindow pins that a window holds the device work of its steps, which runs
// later than they do.
func TestWindow(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-o", dir + "/w.reel", "-requests", "1", "-window", "1-3"}, &out); err != nil {
		t.Fatal(err)
	}
	events, activities, err := rec.Count(dir + "/w-request-0-loop-0-steps-1-3.reel")
	if want := int64(3 * 6); err != nil || activities != want || events != 2*want+3 {
		t.Errorf("the window holds %d events, %d of the device; %v", events, activities, err)
	}
}
