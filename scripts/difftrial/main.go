// Command difftrial runs the built-in engine with a planted regression and leaves the
// recording: what scripts/diff-real.sh has `reel diff` find. The test beside it does the
// same on modelled time.
//
//	go run ./scripts/difftrial -fault sleep -o b1.reel
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"reel/lantern/checkpoint"
	"reel/lantern/pipeline"
)

func main() {
	fault := flag.String("fault", "none", "none, sleep, sync, kernel or encode")
	out := flag.String("o", "", "the `FILE` to write")
	steps := flag.Int("steps", 8, "denoise steps")
	kernel := flag.String("kernel", "gemm", "the kernel that -fault kernel slows down")
	sleep := flag.Duration("sleep", 5*time.Millisecond, "how long -fault sleep sleeps in a step")
	cores := flag.Int("cores", 0, "cores of the device; 0 is all")
	width := flag.Int("width", 32, "pixels of a side")
	frames := flag.Int("frames", 5, "frames")
	requests := flag.Int("requests", 1, "requests in the recording")
	flag.Parse()
	f, err := parse(*fault)
	if err == nil {
		err = run(Trial{Fault: f, Kernel: *kernel, Sleep: *sleep, Cores: *cores, Requests: *requests,
			Request: pipeline.Request{Width: *width, Height: *width, Frames: *frames, Steps: *steps}}, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "difftrial:", err)
		os.Exit(1)
	}
}

func run(t Trial, out string) error {
	if out == "" {
		return fmt.Errorf("-o FILE is needed")
	}
	t.Model, t.Tokens = checkpoint.FS(), 512 // the encode takes about as long as a step
	t.Request.Prompt, t.Request.Seed = strings.Repeat("a red circle moves right and ", 80), 1
	return t.Run(context.Background(), out)
}
