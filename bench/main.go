// Bench sets Lantern's kernels beside other Go libraries, in one run: matrix products
// beside gonum's BLAS and GoMLX's simplego, a convolution and attention beside GoMLX.
//
//	go run . -rounds 15
//
// Each round runs every contender once, one after the other, so that a busy machine
// slows them alike; the table has medians of the rounds, and of the rounds' ratios.
// Times are of the shortest run of a round; the processor's time, the mean of a run of
// a round on all cores together, is what a busy machine changes least.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
)

// contender is an implementation of a workload.
type contender struct {
	name string
	run  func() // once; done when it returns
	out  func() []float32
}

// workload is what contenders do.
type workload struct {
	name string
	flop float64
	list []contender // ours first
}

func main() {
	rounds := flag.Int("rounds", 15, "rounds that the medians are of")
	least := flag.Duration("least", 40*time.Millisecond, "time that a contender runs in a round, at least")
	flag.Parse()
	w, err := workloads()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	versions()
	for _, x := range w {
		if err := check(x); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	measure(w, *rounds, *least)
}

// versions prints what was measured, and on what.
func versions() {
	fmt.Printf("%s %s/%s, %d cores, %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), time.Now().UTC().Format("2006-01-02"))
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, m := range info.Deps {
		if m.Path == "gonum.org/v1/gonum" || m.Path == "github.com/gomlx/gomlx" {
			fmt.Println(m.Path, m.Version)
		}
	}
}

// check compares what the contenders compute.
func check(w workload) error {
	var want []float32
	for _, c := range w.list {
		c.run()
		got := c.out()
		if want == nil {
			want = got
			continue
		}
		for i := range want {
			if d := math.Abs(float64(got[i] - want[i])); !(d <= 1e-3*(1+math.Abs(float64(want[i])))) {
				return fmt.Errorf("%s: %s computes %v where %s has %v", w.name, c.name, got[i], w.list[0].name, want[i])
			}
		}
	}
	return nil
}

// measure runs the rounds and prints a table.
func measure(list []workload, rounds int, least time.Duration) {
	wall, cpu := make([][][]float64, len(list)), make([][][]float64, len(list))
	for i, w := range list {
		wall[i], cpu[i] = make([][]float64, len(w.list)), make([][]float64, len(w.list))
	}
	for range rounds {
		for i, w := range list {
			for k, c := range w.list {
				runtime.GC()
				t, p := timed(c.run, least)
				wall[i][k], cpu[i][k] = append(wall[i][k], t), append(cpu[i][k], p)
			}
		}
	}
	ratio := func(a, b []float64) float64 {
		return median(each(a, b, func(a, b float64) float64 { return a / b }))
	}
	rate := func(i, k int) []float64 {
		return each(wall[i][k], nil, func(t, _ float64) float64 { return list[i].flop / t / 1e9 })
	}
	fmt.Printf("%-26s %-15s %9s %9s %9s %9s %9s %12s\n", "workload", "library", "ms", "GFLOP/s", "CPU ms", "ours is", "by CPU", "of product")
	for i, w := range list {
		for k, c := range w.list {
			fmt.Printf("%-26s %-15s %9.3f %9.1f %9.3f %8.1fx %8.1fx %11.0f%%\n", w.name, c.name, median(wall[i][k])*1e3, median(rate(i, k)), median(cpu[i][k])*1e3,
				ratio(wall[i][k], wall[i][0]), ratio(cpu[i][k], cpu[i][0]), 100*ratio(rate(i, k), rate(0, 0)))
		}
	}
}

// timed returns the shortest time of a run and the mean of the processor's, s, of as
// many runs as take so long, three at least.
func timed(run func(), least time.Duration) (shortest, cpu float64) {
	shortest = math.Inf(1)
	before, n := processor(), 0
	for from := time.Now(); n < 3 || time.Since(from) < least; n++ {
		t := time.Now()
		run()
		shortest = min(shortest, time.Since(t).Seconds())
	}
	return shortest, (processor() - before).Seconds() / float64(n)
}

// processor returns the time that the process has used on all cores.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func each(a, b []float64, f func(a, b float64) float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		var y float64
		if b != nil {
			y = b[i]
		}
		out[i] = f(a[i], y)
	}
	return out
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
