// Command genvae writes the folder of a VAE with the shapes of Wan 2.1 and random
// weights, for trials of loading: config.json, and about 250 MB of safetensors in
// F16. Reel and Diffusers' AutoencoderKLWan read it; what it decodes is noise.
//
//	genvae [-seed N] [-dtype F16|BF16|F32] [-force] FOLDER
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"reel/lantern/wan"
	"reel/lantern/wan/safetensors"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "genvae:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	f := flag.NewFlagSet("genvae", flag.ContinueOnError)
	seed := f.Uint64("seed", 1, "random seed")
	dtype := f.String("dtype", "F16", "element type: F32, F16 or BF16")
	force := f.Bool("force", false, "overwrite the weights that are there")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return fmt.Errorf("one folder is wanted, not %q", f.Args())
	}
	config, err := config()
	if err != nil {
		return err
	}
	params, err := wan.Describe("AutoencoderKLWan", config)
	if err != nil {
		return err
	}
	dir := f.Arg(0)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, "diffusion_pytorch_model.safetensors")
	meta := map[string]string{"format": "pt"}
	err = safetensors.WriteFile(path, fill(params, *seed, safetensors.DType(*dtype)), meta, *force)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w (-force overwrites)", err)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), config, 0o644)
}

// config is Wan 2.1's, as Diffusers writes it.
func config() ([]byte, error) {
	raw, err := json.Marshal(wan.DefaultVAEConfig())
	if err != nil {
		return nil, err
	}
	doc := map[string]any{}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	doc["_class_name"] = "AutoencoderKLWan"
	doc["attn_scales"] = []float64{}
	delete(doc, "decoder_base_dim") // as wide as the encoder
	return json.MarshalIndent(doc, "", "  ")
}

// fill makes weights under which values keep their size from layer to layer.
func fill(params []wan.Param, seed uint64, dtype safetensors.DType) []safetensors.Values {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]safetensors.Values, len(params))
	for i, p := range params {
		n := 1
		for _, d := range p.Shape {
			n *= d
		}
		data := make([]float32, n)
		switch {
		case strings.HasSuffix(p.Name, ".gamma"):
			for j := range data {
				data[j] = 1
			}
		case strings.HasSuffix(p.Name, ".bias"): // zeros
		default:
			scale := 1 / math.Sqrt(float64(n/p.Shape[0]))
			for j := range data {
				data[j] = float32(r.NormFloat64() * scale)
			}
		}
		out[i] = safetensors.Values{Name: p.Name, DType: dtype, Shape: p.Shape, Data: data}
	}
	return out
}
