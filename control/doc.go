// Package control starts and stops profiling. It reads a profiler_config, owns the
// one session of a process (a Controller), and offers that session over HTTP, with
// a client for it.
//
// It records nothing itself: what records is a Collector that the program gives,
// what writes files is an Exporter. It parses no YAML (ParseWith takes a decoder)
// and imports the standard library alone.
//
// A program makes one Controller, mounts its handler, and tells it of its
// iterations:
//
//	c, err := control.New(cfg, control.Options{App: "paint", Collectors: …, Exporters: …})
//	mux.Handle("/", control.Handler(c, control.HandlerOptions{}))
//	…
//	it := c.Iteration(window.Requests)
//	image, err := generate(prompt)
//	err = errors.Join(err, it.End())
package control
