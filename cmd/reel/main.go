// Command reel is a profiler for diffusion and video-generation pipelines; its
// verbs live in package internal/cli.
package main

import (
	"context"
	"os"

	"reel/internal/cli"
)

func main() { os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Std)) }
