package rec

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"reel/internal/rundir"
)

// keptStats is the Stats of a program that the environment asks for a file of them: a
// session's totals go into the file before they are reset.
type keptStats struct {
	*Stats
	file *StatsFile
	path string
}

func keepStats(s *Stats, path string) *keptStats {
	return &keptStats{s, NewStatsFile(s.Timing()), path}
}

// ResetCounts files the session, where anything was counted, and begins another one.
func (k *keptStats) ResetCounts() {
	if n := k.totals(); len(n) > 0 {
		k.file.Begin(0).Tail(n)
	}
	k.Stats.ResetCounts()
}

// write files what was counted since and writes the file, under a name that is free.
func (k *keptStats) write() (path string, err error) {
	k.ResetCounts()
	stem, suffix := rundir.Split(k.path)
	path = k.path
	for i := 2; i < maxSame; i++ {
		if err = k.file.Write(path, false); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
		path = fmt.Sprintf("%s-%d%s", stem, i, suffix)
	}
	return path, err
}

// totals are the numbers of the session so far, as StatsFile names them: of each stage
// its count, sum, mean, quantiles and extreme, the rates over the session, and input
// latency.
func (s *Stats) totals() map[string]float64 {
	out := map[string]float64{}
	spread := func(name string, q Quantiles) {
		if q.Count == 0 {
			return
		}
		out[name+"_count"] = float64(q.Count)
		for suffix, ns := range map[string]int64{"": q.Sum / q.Count, "_total": q.Sum, "_p50": q.P50, "_p90": q.P90, "_p99": q.P99, "_max": q.Max} {
			out[name+suffix+"_ms"] = float64(ns) / 1e6
		}
	}
	for stage, q := range s.Stages() {
		spread(stage, q)
	}
	l := s.Latency()
	for i, q := range [3]Quantiles{l.Total, l.Queue, l.Present} {
		spread(latencyNames[i], q)
	}
	maps.Copy(out, s.rates.averages(s.opt.Clock()))
	return out
}
