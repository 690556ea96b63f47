package rec

import (
	"bytes"
	"context"
	"log/slog"
	"runtime/trace"
	"strings"
	"testing"
)

// TestWithoutRecording feeds runtime/trace, as the environment asks, and a log,
// although nothing is recorded.
func TestWithoutRecording(t *testing.T) {
	w, _, err := fromEnv(t, EnvOptions{}, map[string]string{EnvTrace: "1"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if w.Range(ctx, "before").Recorded() {
		t.Error("a region although nothing is traced")
	}
	var out, log bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skipf("the program is traced already (go test -trace): %v", err)
	}
	_ = w.Request(ctx, RequestOptions{}, func(ctx context.Context) error {
		for i := range Steps(ctx, 2) {
			w.Event(ctx, "present.frame", 1, StepN(i))
		}
		return nil
	})
	trace.Stop()
	for _, want := range []string{"request", "denoise.loop", "denoise[1]", "present.frame [step 1]"} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("runtime/trace has no %q", want)
		}
	}
	p := LogRanges(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	p.Range(ctx, "pipeline.decode").End()
	if !strings.Contains(log.String(), "name=pipeline.decode took=") {
		t.Errorf("log: %s", log.String())
	}
	if LogRanges(quietLog).Range(ctx, "x").Recorded() {
		t.Error("a log that nobody reads is written")
	}
}
