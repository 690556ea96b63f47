// Command readbench measures the trace reader alone: it reads FILE in a fresh
// process (cold), then again (warm), and prints one line of JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"reel/event"
	"reel/read/kineto"
)

type result struct {
	File   string  `json:"file"`
	Text   int64   `json:"text_bytes"`
	Events int64   `json:"events"`
	Cold   float64 `json:"cold_s"`
	Warm   float64 `json:"warm_s"`
	MBCold float64 `json:"mb_s_cold"`
	MBWarm float64 `json:"mb_s_warm"`
	Peak   float64 `json:"peak_rss_mb"`
}

func main() {
	workers := flag.Int("workers", 0, "parsing goroutines; 0 is one per processor")
	args := flag.String("args", "all", "arguments to keep: all or needed")
	python := flag.Bool("python", true, "read Python calls")
	repeat := flag.Int("repeat", 5, "warm passes; the best counts")
	flag.Parse()
	debug.SetGCPercent(50)
	opt := kineto.Options{Workers: *workers, AllArgs: *args == "all", Flows: *args == "all", NoPython: !*python}
	res, err := measure(flag.Arg(0), opt, *repeat)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(res)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "readbench:", err)
		os.Exit(1)
	}
}

func measure(path string, opt kineto.Options, repeat int) (result, error) {
	var res result
	for i := range repeat + 1 {
		t := time.Now()
		info, err := drain(path, opt)
		if err != nil {
			return res, err
		}
		d := time.Since(t).Seconds()
		if i == 0 {
			res = result{File: path, Text: info.Text, Events: info.Events, Cold: d, Warm: d, Peak: peak()}
		}
		res.Warm = min(res.Warm, d)
	}
	res.MBCold, res.MBWarm = float64(res.Text)/1e6/res.Cold, float64(res.Text)/1e6/res.Warm
	return res, nil
}

func drain(path string, opt kineto.Options) (event.Info, error) {
	src, err := kineto.Open(context.Background(), path, opt)
	if err != nil {
		return event.Info{}, err
	}
	defer src.Close()
	var b event.Batch
	for {
		if err := src.Next(&b); errors.Is(err, io.EOF) {
			return src.Info(), nil
		} else if err != nil {
			return event.Info{}, err
		}
	}
}

// peak is the process's largest resident size so far, MB.
func peak() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Maxrss) * 1024 / 1e6
}
