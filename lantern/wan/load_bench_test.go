package wan

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"reel/lantern/device"
)

// BenchmarkLoad compares reading and assigning a VAE's weights with what must be
// done at least: reading the file, and copying its bytes once to fresh memory. All
// three in one run, with the file in the page cache; the least time of each counts,
// which is the one that others disturbed least. REEL_LANTERN_VAE names the folder;
// scripts/genvae makes one.
func BenchmarkLoad(b *testing.B) {
	dir := os.Getenv("REEL_LANTERN_VAE")
	if dir == "" {
		b.Skip("REEL_LANTERN_VAE names no folder")
	}
	file := filepath.Join(dir, "diffusion_pytorch_model.safetensors")
	raw, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		b.Fatal(err)
	}
	const never = time.Hour
	load, cat, memcpy := never, never, never
	for b.Loop() {
		load = min(load, loadOnce(b, dir, config))
		cat = min(cat, readOnce(b, file))
		debug.FreeOSMemory() // fresh memory has to come from the system
		start := time.Now()
		fresh := make([]byte, len(raw))
		copy(fresh, raw)
		memcpy = min(memcpy, time.Since(start))
	}
	b.ReportMetric(float64(load)/1e6, "load-ms")
	b.ReportMetric(float64(cat)/1e6, "cat-ms")
	b.ReportMetric(float64(memcpy)/1e6, "memcpy-ms")
	b.ReportMetric(float64(load)/float64(cat+memcpy), "load/(cat+memcpy)")
}

func loadOnce(b *testing.B, dir string, config []byte) time.Duration {
	debug.FreeOSMemory()
	d := device.New(device.Options{})
	defer d.Close()
	m, err := BuildModel(b.Context(), d.NewStream("load"), "AutoencoderKLWan", config, LoadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	start := time.Now()
	if err := LoadWeights(b.Context(), m, os.DirFS(dir), ".", LoadOptions{}); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// readOnce reads as cat does.
func readOnce(b *testing.B, file string) time.Duration {
	start := time.Now()
	in, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	buf := make([]byte, 128<<10)
	for {
		if _, err := in.Read(buf); err == io.EOF {
			return time.Since(start)
		} else if err != nil {
			b.Fatal(err)
		}
	}
}
