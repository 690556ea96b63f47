// Command pipeline is a toy text-to-video pipeline that is profiled with package
// rec: it encodes, denoises step by step on an asynchronous device, and decodes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"reel/artifacts"
	"reel/rec"
	"reel/window"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pipeline:", err)
		os.Exit(1)
	}
}

// run is the program: it makes clips and leaves a recording.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("pipeline", flag.ContinueOnError)
	path := flags.String("o", "", "record to this file; without it the environment decides")
	windows := flags.String("window", "", "record parts of requests: "+window.Forms)
	requests := flags.Int("requests", 2, "clips to make, behind one of warm-up")
	steps := flags.Int("steps", 6, "denoise steps")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p := newPipeline(*steps)
	defer p.close()
	w, err := profiler(*path, *windows, p.dev.idle)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Shutdown()) }()
	for i := range *requests + 1 {
		o := rec.RequestOptions{WarmUp: i == 0, Loops: 1}
		err := w.Request(ctx, o, func(ctx context.Context) error {
			return p.generate(ctx, "a paper boat in the rain")
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "made %d clips of %d steps each, and one of warm-up\n", *requests, *steps)
	return nil
}

// profiler makes what the flags ask for, else what the environment does. The
// device is idle before a window closes, so that what its steps launched is in it.
func profiler(path, windows string, idle func() error) (*rec.Worker, error) {
	spec, err := window.Parse("-window", windows)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return rec.FromEnv(os.Getenv, rec.EnvOptions{Sync: idle, Export: artifacts.Trace})
	}
	r, err := rec.Open(path, rec.Options{Windows: spec, Producer: "toy pipeline", Sync: idle})
	if err != nil {
		return nil, err
	}
	return r.Worker(), nil
}
