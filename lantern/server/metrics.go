package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by kind and result
	seconds  *prometheus.HistogramVec // in the engine, by kind
	waited   *prometheus.HistogramVec // in the queue, by kind
	frames   prometheus.Counter
}

func newMetrics(s *Server) *metrics {
	buckets := prometheus.ExponentialBuckets(0.01, 2, 16)
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "reel_requests_total", Help: "Requests by kind and result."}, []string{"kind", "result"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "reel_generation_seconds", Help: "Time of a generation in the engine.", Buckets: buckets}, []string{"kind"}),
		waited:   prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "reel_queue_seconds", Help: "Time of a request in the queue.", Buckets: buckets}, []string{"kind"}),
		frames:   prometheus.NewCounter(prometheus.CounterOpts{Name: "reel_frames_total", Help: "Frames made."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.waited, m.frames,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "reel_requests_running", Help: "Requests in the engine."}, func() float64 { return float64(s.queue.running()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "reel_requests_waiting", Help: "Requests in the queue."}, func() float64 { return float64(s.queue.waiting()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "reel_profiling", Help: "1 while a profiling session is under way."}, s.profiling))
	return m
}

// profiling is 1 while a session is under way.
func (s *Server) profiling() float64 {
	if s.opt.Control == nil {
		return 0
	}
	switch s.opt.Control.Status().State.String() {
	case "idle", "done", "failed":
		return 0
	}
	return 1
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// result is the word for how a request went.
func result(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, errBusy):
		return "refused"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, ErrRequest):
		return "bad_request"
	}
	return "error"
}

func (m *metrics) failed(kind string, err error) { m.requests.WithLabelValues(kind, result(err)).Inc() }

func (m *metrics) observe(kind string, x *made, err error) {
	m.requests.WithLabelValues(kind, result(err)).Inc()
	m.seconds.WithLabelValues(kind).Observe(x.took.Seconds())
	m.waited.WithLabelValues(kind).Observe(x.waited.Seconds())
	m.frames.Add(float64(len(x.Frames)))
}
