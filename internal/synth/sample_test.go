package synth

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"
)

// TestShippedSample fails when the generator no longer writes the sample;
// examples/traces/README.md has the command that makes it anew.
func TestShippedSample(t *testing.T) {
	f, err := os.Open("../../examples/traces/tiny_dit.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > 200_000 {
		t.Errorf("the sample should stay under 200 kB: %v, %v", info.Size(), err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if made, _ := text(t, Options{Seed: 7, Layers: 2, Python: true}); !bytes.Equal(made, shipped) {
		t.Error("the shipped sample is not what the generator writes")
	}
}
