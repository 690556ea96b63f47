package rec

import (
	"context"
	"sync"

	"reel/internal/sketch"
)

// StatsOptions says what Stats counts; the zero value counts everything.
type StatsOptions struct {
	NoStages, NoRates, NoLatency bool
	// Sync waits until the device is idle. With it stages end when their work
	// has, which changes the overlap that the program has without it.
	Sync func() error
	// Stamp notes a place in the device's work and returns what gives the time at
	// which the device came there, once it was waited for. With it and Sync, stages are
	// timed on the device: it is waited for twice a step, before the first stage and
	// when times are collected, and not at every stage.
	Stamp func(ctx context.Context) func() Time
	// Clock tells the time; Now when nil.
	Clock func() Time
}

// Stats is the Profiler that counts: stage times, frame rates, input latency. Its
// memory is bounded by the number of different names. It times on the host; with
// StatsOptions.Sync on a host that waited for the device.
type Stats struct {
	Noop
	opt     StatsOptions
	timers  timerTable // of contexts without a StageScope
	rates   rates
	latency latency

	mu     sync.Mutex
	stages map[string]*sketch.Sketch // ns
	device error
}

// NewStats makes a Stats; its session begins now.
func NewStats(opt StatsOptions) *Stats {
	if opt.Clock == nil {
		opt.Clock = Now
	}
	s := &Stats{opt: opt, stages: map[string]*sketch.Sketch{}}
	s.rates.reset(opt.Clock())
	return s
}

// Timing says how times are taken: "host", "synced" with the device idle, "device" by
// stamps of the device.
func (s *Stats) Timing() string {
	if s.opt.Sync != nil && s.opt.Stamp != nil {
		return "device"
	}
	if s.opt.Sync != nil {
		return "synced"
	}
	return "host"
}

// Quantiles describe a distribution in nanoseconds. Count, Sum, Min and Max are
// exact, the others within 0.2 %.
type Quantiles struct {
	Count         int64
	Sum, Min, Max int64
	P50, P90, P99 int64
}

func quantiles(k *sketch.Sketch) (q Quantiles) {
	q.Count, q.Sum = k.Count(), k.Sum()
	q.Min, _ = k.Min()
	q.Max, _ = k.Max()
	q.P50, _ = k.Quantile(50)
	q.P90, _ = k.Quantile(90)
	q.P99, _ = k.Quantile(99)
	return q
}

// Stages returns the distribution of each stage's time since the session began.
func (s *Stats) Stages() map[string]Quantiles {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]Quantiles{}
	for name, k := range s.stages {
		out[name] = quantiles(k)
	}
	return out
}

// add counts a stage's time.
func (s *Stats) add(stage string, ns Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.stages[stage]
	if k == nil {
		if len(s.stages) >= maxNames {
			return
		}
		k = &sketch.Sketch{}
		s.stages[stage] = k
	}
	k.Add(int64(max(ns, 0)))
}

// maxNames bounds the names that are counted apart.
const maxNames = 1024

// now waits for the device, where that was asked for, and reads the clock.
func (s *Stats) now() Time {
	if s.opt.Sync != nil {
		if err := guard(s.opt.Sync); err != nil {
			s.mu.Lock()
			if s.device == nil {
				s.device = err
			}
			s.mu.Unlock()
		}
	}
	return s.opt.Clock()
}

// TakeDeviceError returns, once, the error of the device that came to light as a
// stage was synchronised. A request returns it as its own.
func (s *Stats) TakeDeviceError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.device
	s.device = nil
	return err
}

// Event counts.
func (s *Stats) Event(_ context.Context, name string, count int, _ StepID) {
	if !s.opt.NoRates && count > 0 {
		s.rates.count(name, count)
	}
}

// CollectFPS returns, for every name seen since the session began, <name>_fps, the
// count since the last call over the time since then, waits included, and
// <name>_avg_fps over the session. Without time between there is no rate.
func (s *Stats) CollectFPS() map[string]float64 { return s.rates.collect(s.opt.Clock()) }

// ResetCounts begins a new session: rates, latency and distributions start over.
func (s *Stats) ResetCounts() {
	s.rates.reset(s.opt.Clock())
	s.latency.reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.stages)
}
