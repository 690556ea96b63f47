package analyze

import (
	"context"
	"testing"

	"reel/internal/samples"
	"reel/read/kineto"
	"reel/timeline"
)

// BenchmarkExamine: what a diagnosis takes beside a summary.
func BenchmarkExamine(b *testing.B) {
	roles := builtin(b)
	for _, name := range []string{"tl_mi300x_sd35_xdit", "hta_v100_profile_memory"} {
		src, err := kineto.Open(context.Background(), samples.File(b, "kineto/"+name+".json.gz"), kineto.Options{MarkArgs: MemoryArgs})
		if err != nil {
			b.Fatal(err)
		}
		tl, err := timeline.Build(context.Background(), src, timeline.Options{MarkArgs: MemoryArgs})
		src.Close()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/summary", func(b *testing.B) {
			for b.Loop() {
				Summarize(tl, roles)
			}
		})
		b.Run(name+"/examine", func(b *testing.B) {
			for b.Loop() {
				Examine(tl, roles, ExamineOptions{})
			}
		})
		b.Run(name+"/partial", func(b *testing.B) {
			s, d := Examine(tl, roles, ExamineOptions{})
			for b.Loop() {
				NewPartial(tl, s, d)
			}
		})
	}
	b.Run("roles", func(b *testing.B) {
		for b.Loop() {
			builtin(b)
		}
	})
}
