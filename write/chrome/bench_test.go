package chrome

import (
	"context"
	"io"
	"os"
	"testing"

	"reel/analyze"
	"reel/internal/compress"
	"reel/internal/samples"
)

// BenchmarkExport measures what exporting the trace of a diffusion run costs, beside
// a summary of it and the compressor alone: MB/s of the text.
func BenchmarkExport(b *testing.B) {
	path := samples.File(b, "kineto/tl_mi300x_sd35_xdit.json.gz")
	text := inflated(b, path)
	r, roles := openFile(b, path), roleTable(b)
	for _, c := range []struct {
		name string
		run  func() error
	}{
		{"summary", func() error { analyze.Summarize(openFile(b, path).TL, roles); return nil }},
		{"gzip", func() error { return compressed(compress.Gzip, text) }},
		{"zstd", func() error { return compressed(compress.Zstd, text) }},
		{"copy", func() error {
			_, err := Copy(context.Background(), io.Discard, []analyze.Rank{r}, Options{Roles: roles})
			return err
		}},
		{"write", func() error {
			_, err := Write(context.Background(), io.Discard, []analyze.Rank{r}, Options{Roles: roles})
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func compressed(kind compress.Kind, text []byte) error {
	z, err := compress.NewWriter(kind, io.Discard, 0)
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	return z.Close()
}

// BenchmarkMerge measures what putting a rank into a trace of several costs.
func BenchmarkMerge(b *testing.B) {
	path := samples.File(b, "kineto/tl_mi300x_sd35_xdit.json.gz")
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	r := openFile(b, path)
	second := r
	tl := *r.TL
	base := *tl.Info.Base + 12345
	tl.Info.Base = &base
	second.TL, second.Index = &tl, 1
	b.SetBytes(2 * st.Size())
	for b.Loop() {
		if _, err := Copy(context.Background(), io.Discard, []analyze.Rank{r, second}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
