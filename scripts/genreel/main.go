// Command genreel writes a made-up recording of a diffusion service, of as many ranges
// as one likes: for trials of what must stay fast with millions of them. Requests hold
// steps, layers, Python calls and operators; the operators launch kernels on three
// streams, which take as long as they do on a device that is not always busy.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"reel/event"
	"reel/reelfile"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "genreel:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	f := flag.NewFlagSet("genreel", flag.ContinueOnError)
	out := f.String("o", "", "the recording to write; it must not exist")
	n := f.Int("ranges", 10_000_000, "host ranges and activities to write, at least")
	steps := f.Int("steps", 50, "denoise steps of a request")
	seed := f.Uint64("seed", 1, "of the made-up times")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *out == "" || *n < 1 || *steps < 1 || f.NArg() > 0 {
		return errors.New("-o FILE is needed, and -ranges and -steps are above 0")
	}
	rank := 0
	w, err := reelfile.Create(*out, reelfile.Options{MaxBytes: int64(*n)*160 + 64<<20, Clock: reelfile.NanosecondClock(), Rank: &rank, Producer: "genreel"})
	if err != nil {
		return err
	}
	a, err := reelfile.NewAdder(w)
	if err != nil {
		return err
	}
	g := &maker{add: a, r: rand.New(rand.NewPCG(*seed, 0)), want: *n, steps: *steps}
	for request := 0; g.n < g.want && g.err == nil; request++ {
		g.request(request)
	}
	if err := errors.Join(g.err, w.Close()); err != nil {
		return err
	}
	fmt.Printf("%s: %d ranges and activities, %d ms of made-up time\n", *out, g.n, g.host/1e6)
	return nil
}

// maker writes the events of a service that handles one request after the other.
type maker struct {
	add        *reelfile.Adder
	r          *rand.Rand
	n, want    int
	steps      int
	host, link int64
	device     [3]int64 // until when each stream is busy
	err        error
}

var (
	model = event.Track{Place: event.Thread, A: 100, B: 1}
	other = event.Track{Place: event.Thread, A: 100, B: 2}
)

func (g *maker) write(e event.Event) {
	if g.err != nil {
		return
	}
	ok, err := g.add.Add(e)
	if err == nil && !ok {
		err = errors.New("the recording is full")
	}
	g.err = err
	g.n++
}

func (g *maker) took(least, most int64) int64 { return least + g.r.Int64N(most-least) }

// within writes what inside does as a range that holds it.
func (g *maker) within(e event.Event, inside func()) {
	e.Kind, e.Start = event.Range, g.host
	g.host += g.took(200, 900)
	inside()
	g.host += g.took(100, 700)
	e.Dur = g.host - e.Start
	g.write(e)
}

func (g *maker) request(n int) {
	g.within(event.Event{Class: event.Annotation, Role: event.Request, Track: model, Name: "generate"}, func() {
		g.within(event.Event{Class: event.Annotation, Role: event.Stage, Track: model, Name: "encode"}, func() { g.layers(2) })
		for s := range g.steps {
			if g.n >= g.want {
				return
			}
			g.within(event.Event{Class: event.Annotation, Role: event.Step, Track: model, Name: fmt.Sprintf("denoise.step[%d]", s)}, func() { g.layers(40) })
		}
		g.within(event.Event{Class: event.Annotation, Role: event.Stage, Track: model, Name: "decode"}, func() { g.layers(3) })
	})
	g.host += g.took(1e5, 9e6)
	g.write(event.Event{Kind: event.Range, Class: event.Annotation, Track: other, Name: fmt.Sprintf("publish request %d", n), Start: g.host - 50_000, Dur: 40_000})
}

var operators = []string{"aten::linear", "aten::addmm", "aten::scaled_dot_product_attention", "aten::layer_norm", "aten::mul", "aten::add", "aten::silu", "aten::reshape", "aten::copy_"}
var kernels = []string{"gemm_bf16_128x256", "gemm_bf16_64x64", "flash_fwd_kernel", "layer_norm_kernel", "elementwise_kernel<mul>", "elementwise_kernel<add>", "elementwise_kernel<silu>", "cat_kernel", "Memcpy DtoD"}

func (g *maker) layers(n int) {
	for layer := range n {
		g.within(event.Event{Class: event.Python, Track: model, Name: fmt.Sprintf("transformer.py(%d): block", 100+layer%40)}, func() {
			for part := range 3 {
				g.within(event.Event{Class: event.Python, Track: model, Name: []string{"attention.py(40): forward", "norm.py(11): forward", "mlp.py(22): forward"}[part]}, func() {
					for range 5 {
						g.operator(g.r.IntN(len(operators)))
					}
				})
			}
		})
	}
}

// operator writes an operator, the call that launches its kernel, and the kernel.
func (g *maker) operator(k int) {
	g.within(event.Event{Class: event.Op, Track: model, Name: operators[k]}, func() {
		g.within(event.Event{Class: event.Op, Track: model, Name: operators[(k+1)%len(operators)]}, func() {
			g.link++
			at := g.host + 300
			g.within(event.Event{Class: event.Runtime, Track: model, Name: "cudaLaunchKernel", Link: g.link}, func() { g.host += g.took(800, 4000) })
			stream := 0
			if g.r.IntN(12) == 0 {
				stream = 1 + g.r.IntN(2)
			}
			start := max(at+g.took(2000, 5000), g.device[stream]+g.took(500, 1500))
			dur := g.took(1500, 14_000)
			g.device[stream] = start + dur
			class := event.Kernel
			if k == len(kernels)-1 {
				class = event.Copy
			}
			g.write(event.Event{Kind: event.Activity, Class: class, Track: event.Track{Place: event.Stream, A: 0, B: int64(7 + stream)}, Name: kernels[k], Start: start, Dur: dur, Link: g.link})
		})
	})
}
