package otel_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"reel/rec"
	"reel/rec/otel"
)

func Example() {
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
	ctx := context.Background()
	recorder, err := rec.Open("", rec.Options{Heap: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer recorder.Close()

	p := rec.Composite(recorder, otel.New(provider.Tracer("pipeline")))
	outer := p.Range(ctx, "pipeline.diffuse")
	p.Range(ctx, "model.forward").End()
	outer.End()

	if err := provider.ForceFlush(ctx); err != nil {
		fmt.Println(err)
	}
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.Name, span.Attributes[0].Value.String(), span.Parent.IsValid())
	}
	// Output:
	// model.forward forward true
	// pipeline.diffuse stage false
}
