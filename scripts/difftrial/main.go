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
	flag.Parse()
	if err := run(*fault, *out, *kernel, *steps, *sleep); err != nil {
		fmt.Fprintln(os.Stderr, "difftrial:", err)
		os.Exit(1)
	}
}

func run(fault, out, kernel string, steps int, sleep time.Duration) error {
	f, err := parse(fault)
	if err != nil {
		return err
	}
	if out == "" {
		return fmt.Errorf("-o FILE is needed")
	}
	t := Trial{Model: checkpoint.FS(), Fault: f, Kernel: kernel, Sleep: sleep, Tokens: 512, // the encode takes about as long as a step

		Request: pipeline.Request{Prompt: strings.Repeat("a red circle moves right and ", 80), Width: 32, Frames: 5, Steps: steps, Seed: 1}}
	return t.Run(context.Background(), out)
}
