package kineto

import (
	"bytes"
	"context"
	"io"
	"testing"

	"reel/event"
	"reel/internal/synth"
)

// BenchmarkReader reads a generated trace of 16 MB in memory, warm.
func BenchmarkReader(b *testing.B) {
	for name, style := range map[string]synth.Style{"pretty": synth.Pretty, "minified": synth.Minified} {
		var text bytes.Buffer
		if _, err := synth.Write(&text, synth.Options{Python: true, TargetBytes: 16 << 20, Style: style}); err != nil {
			b.Fatal(err)
		}
		for args, opt := range map[string]Options{"all": {AllArgs: true, Flows: true}, "needed": {}, "nopython": {NoPython: true}} {
			for _, workers := range []int{1, 2} {
				opt.Workers = workers
				b.Run(name+"/"+args+"/workers="+string(rune('0'+workers)), func(b *testing.B) {
					b.SetBytes(int64(text.Len()))
					b.ReportAllocs()
					for b.Loop() {
						benchRead(b, text.Bytes(), opt)
					}
				})
			}
		}
	}
}

func benchRead(b *testing.B, text []byte, opt Options) {
	src, err := New(context.Background(), bytes.NewReader(text), "bench", opt)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	var batch event.Batch
	for err == nil {
		err = src.Next(&batch)
	}
	if err != io.EOF {
		b.Fatal(err)
	}
}
