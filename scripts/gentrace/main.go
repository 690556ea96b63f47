// Command gentrace writes a made-up torch.profiler trace of a diffusion run, for
// trials and benchmarks. See package internal/synth for what it holds.
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"reel/internal/synth"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gentrace:", err)
		os.Exit(1)
	}
}

type config struct {
	synth        synth.Options
	out, truth   string
	style, size  string
	vendor       string
	compressHard bool
}

func flags(args []string) (config, error) {
	var c config
	f := flag.NewFlagSet("gentrace", flag.ContinueOnError)
	f.StringVar(&c.out, "o", "-", "file to write; .gz compresses, - is standard output")
	f.StringVar(&c.truth, "truth", "", "file for what the trace holds, as JSON")
	f.Uint64Var(&c.synth.Seed, "seed", 1, "random seed")
	f.IntVar(&c.synth.Steps, "steps", 8, "denoise steps of a request")
	f.IntVar(&c.synth.Layers, "layers", 4, "transformer blocks")
	f.IntVar(&c.synth.Requests, "requests", 1, "pipeline calls")
	f.StringVar(&c.size, "size", "", "more requests until the text is this long, as 500MB or 1GB")
	f.StringVar(&c.style, "style", "pretty", "pretty, minified or spaced")
	f.StringVar(&c.vendor, "vendor", "cuda", "cuda or rocm")
	f.BoolVar(&c.synth.Python, "python", true, "record Python calls")
	f.BoolVar(&c.synth.Memory, "memory", false, "record memory instants")
	f.BoolVar(&c.synth.Annotations, "annotations", false, "record_function ranges around stages")
	f.BoolVar(&c.synth.Graph, "graph", false, "steps replay a captured graph")
	f.IntVar(&c.synth.Rank, "rank", 0, "this process's rank")
	f.IntVar(&c.synth.WorldSize, "world", 0, "number of ranks; 0 is no distributed run")
	f.BoolVar(&c.synth.Collectives, "collectives", false, "an all-to-all in every block")
	f.BoolVar(&c.synth.HeaderLast, "header-last", false, "header keys after the events")
	f.BoolVar(&c.synth.Absolute, "absolute", false, "absolute timestamps")
	f.BoolVar(&c.compressHard, "best", false, "compress as small as gzip can")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if f.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return c, c.resolve()
}

func (c *config) resolve() error {
	switch c.style {
	case "pretty":
		c.synth.Style = synth.Pretty
	case "minified":
		c.synth.Style = synth.Minified
	case "spaced":
		c.synth.Style = synth.Spaced
	default:
		return fmt.Errorf("-style %q is not pretty, minified or spaced", c.style)
	}
	switch c.vendor {
	case "cuda":
		c.synth.Vendor = synth.CUDA
	case "rocm":
		c.synth.Vendor = synth.ROCm
	default:
		return fmt.Errorf("-vendor %q is not cuda or rocm", c.vendor)
	}
	var err error
	c.synth.TargetBytes, err = bytesOf(c.size)
	return err
}

// bytesOf reads sizes as 64kB, 500MB, 1GB (powers of ten) or plain bytes.
func bytesOf(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	unit := int64(1)
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}} {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			text, unit = n, u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("-size %q is no size", text)
	}
	return int64(v * float64(unit)), nil
}

func run(args []string) error {
	c, err := flags(args)
	if err == flag.ErrHelp {
		return nil
	}
	if err != nil {
		return err
	}
	truth, err := c.write()
	if err != nil {
		return err
	}
	if c.truth == "" {
		return nil
	}
	text, err := json.MarshalIndent(truth, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.truth, append(text, '\n'), 0o644)
}

func (c *config) write() (truth synth.Truth, err error) {
	file := os.Stdout
	if c.out != "-" {
		if file, err = os.Create(c.out); err != nil {
			return truth, err
		}
		defer func() {
			if e := file.Close(); err == nil {
				err = e
			}
		}()
	}
	w := bufio.NewWriterSize(file, 1<<20)
	var sink io.Writer = w
	if strings.HasSuffix(c.out, ".gz") {
		level := gzip.DefaultCompression
		if c.compressHard {
			level = gzip.BestCompression
		}
		z, zerr := gzip.NewWriterLevel(w, level)
		if zerr != nil {
			return truth, zerr
		}
		defer func() {
			if e := z.Close(); err == nil {
				err = e
			}
			if e := w.Flush(); err == nil {
				err = e
			}
		}()
		sink = z
	}
	if truth, err = synth.Write(sink, c.synth); err != nil {
		return truth, err
	}
	return truth, w.Flush()
}
