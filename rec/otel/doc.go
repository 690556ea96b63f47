// Package otel hands a program's ranges on to OpenTelemetry: each becomes a span.
//
//	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
//	p := rec.Composite(recorder, otel.New(provider.Tracer("pipeline")))
//	w := rec.NewWorker(p, rec.WorkerOptions{})
//
// It configures no provider and no exporter: the program brings the tracer and
// shuts its provider down. It hands on ranges and events, not the life of inputs,
// and no device work. A range that becomes a span costs fifty to a hundred
// times what a recorded one does; BenchmarkRange has both. Package rec does not
// import it, so that a program without it builds with the standard library alone.
package otel
