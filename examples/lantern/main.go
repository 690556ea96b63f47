// Command lantern makes a clip with the engine and profiles one of its requests: what a
// program does with a profiler_config, StartProfile and StopProfile.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"reel/control"
	"reel/lantern/checkpoint"
	"reel/lantern/media"
	"reel/lantern/pipeline"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lantern:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w io.Writer) (err error) {
	flags := flag.NewFlagSet("lantern", flag.ContinueOnError)
	config := flags.String("profiler-config", `{"profiler": "torch", "torch_profiler_dir": "perf"}`, "a profiler_config")
	prompt := flags.String("prompt", "a green square moving up on a white background", "what to show")
	steps := flags.Int("steps", 8, "denoise steps")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cfg, err := control.Parse([]byte(*config))
	if err != nil {
		return err
	}
	engine, err := pipeline.Open(ctx, checkpoint.FS(), pipeline.Options{Profiler: cfg, Session: pipeline.SessionOptions{App: "lantern"}})
	if err != nil {
		return err
	}
	defer func() { err = closed(engine, err) }()

	// A first request warms the engine up: it is in no profile.
	if _, err := engine.Generate(ctx, pipeline.Request{Prompt: *prompt, Frames: 1, Steps: 2, WarmUp: true}); err != nil {
		return err
	}
	if _, err := engine.StartProfile(control.StartOptions{}); err != nil {
		return err
	}
	clip, err := engine.Generate(ctx, pipeline.Request{Prompt: *prompt, Frames: 9, Steps: *steps, Seed: 3})
	if err != nil {
		return err
	}
	session, err := engine.StopProfile(ctx) // returns when the files are there
	if err != nil {
		return err
	}
	if err := media.Write(ctx, "clip.gif", media.Clip{Frames: clip.Frames, Rate: clip.Rate}, true); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d frames; %s\n", len(clip.Frames), session.Coverage[0][:len("session: entered 1 requests")])
	for _, a := range session.Artifacts {
		fmt.Fprintf(w, "  %-9s opens in %s\n", a.Kind, a.Viewer)
	}
	return nil
}

func closed(e *pipeline.Engine, err error) error {
	if end := e.Close(); err == nil {
		return end
	}
	return err
}
