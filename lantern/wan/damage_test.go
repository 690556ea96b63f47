package wan

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"reel/lantern/device"
	"reel/lantern/wan/safetensors"
)

// modelFS reads the golden model into memory, so that tests can damage it.
func modelFS(t testing.TB) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{}
	root := os.DirFS("testdata/model")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		fsys[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

// edit changes a JSON file.
func edit(t *testing.T, fsys fstest.MapFS, name string, change func(map[string]any)) {
	t.Helper()
	doc := map[string]any{}
	if err := json.Unmarshal(fsys[name].Data, &doc); err != nil {
		t.Fatal(err)
	}
	change(doc)
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	fsys[name] = &fstest.MapFile{Data: data}
}

// rewrite changes the tensors of a safetensors file.
func rewrite(t *testing.T, fsys fstest.MapFS, name string, change func([]safetensors.Values) []safetensors.Values) {
	t.Helper()
	c, err := safetensors.Open(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	var all []safetensors.Values
	for _, x := range c.Tensors() {
		v := safetensors.Values{Name: x.Name, DType: x.DType, Shape: x.Shape, Data: make([]float32, x.Len())}
		if err := x.Floats(v.Data, 0); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	var out bytes.Buffer
	if err := safetensors.Write(&out, change(all), nil); err != nil {
		t.Fatal(err)
	}
	fsys[name] = &fstest.MapFile{Data: out.Bytes()}
}

const (
	shard1  = "vae/diffusion_pytorch_model-00001-of-00003.safetensors"
	shard2  = "vae/diffusion_pytorch_model-00002-of-00003.safetensors"
	vaeIdx  = "vae/diffusion_pytorch_model.safetensors.index.json"
	textOne = "text_encoder/model.safetensors"
)

// TestDamage loads folders that are wrong in one way each. The error must be one
// line that names the file and what in it is wrong.
func TestDamage(t *testing.T) {
	d := device.New(device.Options{Memory: 64 << 20})
	defer d.Close()
	s := d.NewStream("test")
	weight := func(x map[string]any) map[string]any { return x["weight_map"].(map[string]any) }
	for _, c := range []struct {
		name, want string
		harm       func(t *testing.T, fsys fstest.MapFS)
	}{
		{"missing shard", shard2 + ": tensor decoder.", func(t *testing.T, fsys fstest.MapFS) { delete(fsys, shard2) }},
		{"truncated", shard1 + ": tensor ", func(t *testing.T, fsys fstest.MapFS) {
			f := fsys[shard1]
			f.Data = f.Data[:len(f.Data)-100]
		}},
		{"header bomb", shard1 + ": the header claims", func(t *testing.T, fsys fstest.MapFS) {
			copy(fsys[shard1].Data, "\xff\xff\xff\xff\xff\xff\xff\x7f")
		}},
		{"no number", textOne + ": tensor encoder.final_layer_norm.weight: element 3 is NaN", func(t *testing.T, fsys fstest.MapFS) {
			rewrite(t, fsys, textOne, func(all []safetensors.Values) []safetensors.Values {
				for _, v := range all {
					if v.Name == "encoder.final_layer_norm.weight" {
						v.Data[3] /= 0 * v.Data[3]
						v.Data[3] -= v.Data[3]
					}
				}
				return all
			})
		}},
		{"wrong shape", textOne + ": tensor encoder.final_layer_norm.weight: shape [4 4], but UMT5EncoderModel with this configuration has [16]", func(t *testing.T, fsys fstest.MapFS) {
			rewrite(t, fsys, textOne, func(all []safetensors.Values) []safetensors.Values {
				i := slices.IndexFunc(all, func(v safetensors.Values) bool { return v.Name == "encoder.final_layer_norm.weight" })
				all[i].Shape = []int{4, 4}
				return all
			})
		}},
		{"missing tensor", textOne + ": tensor encoder.final_layer_norm.weight: it is missing", func(t *testing.T, fsys fstest.MapFS) {
			rewrite(t, fsys, textOne, func(all []safetensors.Values) []safetensors.Values {
				return slices.DeleteFunc(all, func(v safetensors.Values) bool { return v.Name == "encoder.final_layer_norm.weight" })
			})
		}},
		{"tensor of another model", textOne + ": tensor extra: UMT5EncoderModel has no such weight", func(t *testing.T, fsys fstest.MapFS) {
			rewrite(t, fsys, textOne, func(all []safetensors.Values) []safetensors.Values {
				return append(all, safetensors.Values{Name: "extra", Shape: []int{1}, Data: []float32{1}})
			})
		}},
		{"path out of the folder", vaeIdx + `: tensor decoder.conv_in.bias: the index places it in "../vae/`, func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, vaeIdx, func(x map[string]any) {
				m := weight(x)
				m["decoder.conv_in.bias"] = "../" + path.Dir(shard1) + "/" + m["decoder.conv_in.bias"].(string)
			})
		}},
		{"absolute path", vaeIdx + `: tensor decoder.conv_in.bias: the index places it in "/etc/passwd"`, func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, vaeIdx, func(x map[string]any) { weight(x)["decoder.conv_in.bias"] = "/etc/passwd" })
		}},
		{"no weights", "transformer: no safetensors files found", func(t *testing.T, fsys fstest.MapFS) {
			for name := range fsys {
				if strings.HasPrefix(name, "transformer/diff") {
					delete(fsys, name)
				}
			}
		}},
		{"no index", "model_index.json", func(t *testing.T, fsys fstest.MapFS) { delete(fsys, "model_index.json") }},
		{"another pipeline", `model_index.json: _class_name: "FluxPipeline" is not supported`, func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "model_index.json", func(x map[string]any) { x["_class_name"] = "FluxPipeline" })
		}},
		{"two transformers", "model_index.json: transformer_2:", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "model_index.json", func(x map[string]any) { x["transformer_2"] = []string{"diffusers", "WanTransformer3DModel"} })
		}},
		{"another scheduler", `model_index.json: scheduler: "UniPCMultistepScheduler" is not supported`, func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "model_index.json", func(x map[string]any) { x["scheduler"] = []string{"diffusers", "UniPCMultistepScheduler"} })
		}},
		{"classes swapped", "_class_name", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "model_index.json", func(x map[string]any) { x["vae"], x["transformer"] = x["transformer"], x["vae"] })
		}},
		{"dynamic shifting", "scheduler/scheduler_config.json: use_dynamic_shifting: true is not supported", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "scheduler/scheduler_config.json", func(x map[string]any) { x["use_dynamic_shifting"] = true })
		}},
		{"Wan 2.2", "vae/config.json: is_residual: true is not supported", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "vae/config.json", func(x map[string]any) { x["is_residual"] = true })
		}},
		{"image branch", "transformer/config.json: image_dim: 8 is not supported", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "transformer/config.json", func(x map[string]any) { x["image_dim"] = 8 })
		}},
		{"huge", "transformer/config.json: num_layers: 1000000000 is not supported", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "transformer/config.json", func(x map[string]any) { x["num_layers"] = 1_000_000_000 })
		}},
		{"too large for the device", "WanTransformer3DModel: move to the device: tensor", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "transformer/config.json", func(x map[string]any) { x["ffn_dim"], x["text_dim"], x["attention_head_dim"] = 1<<20, 1<<20, 4096 })
		}},
		{"damaged JSON", "text_encoder/config.json: ", func(t *testing.T, fsys fstest.MapFS) {
			fsys["text_encoder/config.json"] = &fstest.MapFile{Data: []byte(`{"d_model":`)}
		}},
		{"latents of another width", "transformer/config.json: out_channels: 3 is not supported; it must be 4", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "transformer/config.json", func(x map[string]any) { x["out_channels"] = 3 })
			name := "transformer/diffusion_pytorch_model-00003-of-00003.safetensors"
			rewrite(t, fsys, name, func(all []safetensors.Values) []safetensors.Values {
				for i, v := range all {
					if strings.HasPrefix(v.Name, "proj_out.") {
						all[i].Shape = slices.Clone(v.Shape)
						all[i].Shape[0] = 12
						all[i].Data = v.Data[:len(v.Data)/4*3]
					}
				}
				return all
			})
		}},
		{"tokenizer", "tokenizer: tokenizer.json: model.type", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "tokenizer/tokenizer.json", func(x map[string]any) { x["model"] = map[string]any{"type": "BPE"} })
		}},
		{"padding token", "tokenizer/tokenizer_config.json: pad_token: ", func(t *testing.T, fsys fstest.MapFS) {
			edit(t, fsys, "tokenizer/tokenizer_config.json", func(x map[string]any) { x["pad_token"] = "none" })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := modelFS(t)
			c.harm(t, fsys)
			p, err := Open(t.Context(), s, fsys, LoadOptions{})
			if err == nil {
				p.Close()
				t.Fatal("it loads")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	if err := d.Synchronize(t.Context()); err != nil {
		t.Errorf("a failed load leaves the device with %v", err)
	}
	if p, err := Open(t.Context(), s, modelFS(t), LoadOptions{}); err != nil {
		t.Errorf("after all this: %v", err)
	} else {
		p.Close()
	}
	if used := d.Memory().Allocated; used != 0 {
		t.Errorf("%d bytes of the device are still in use", used)
	}
}

func TestLoadOptions(t *testing.T) {
	d := device.New(device.Options{})
	defer d.Close()
	s := d.NewStream("test")
	fsys := modelFS(t)
	if _, err := LoadVAE(t.Context(), s, fsys, "vae", LoadOptions{DType: safetensors.F16}); err == nil || !strings.Contains(err.Error(), "dtype") {
		t.Errorf("a device that computes in F16: %v", err)
	}
	rewrite(t, fsys, textOne, func(all []safetensors.Values) []safetensors.Values {
		return append(all, safetensors.Values{Name: "extra", Shape: []int{1}, Data: []float32{1}})
	})
	m, err := Load(t.Context(), s, "UMT5EncoderModel", fsys, "text_encoder", LoadOptions{Loose: true})
	if err != nil {
		t.Errorf("loose: %v", err)
	} else {
		m.Close()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LoadVAE(gone, s, fsys, "vae", LoadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := BuildModel(t.Context(), s, "Other", nil, LoadOptions{}); err == nil {
		t.Error("a class that is not there")
	}
}

// TestPhases compares the phases with the document's, in order and depth, also
// when one fails.
func TestPhases(t *testing.T) {
	d := device.New(device.Options{})
	defer d.Close()
	s := d.NewStream("test")
	type depth struct{}
	var lines []string
	opt := LoadOptions{Phase: func(ctx context.Context, name string) (context.Context, func(error)) {
		n, _ := ctx.Value(depth{}).(int)
		i := len(lines)
		lines = append(lines, strings.Repeat("  ", n)+name)
		return context.WithValue(ctx, depth{}, n+1), func(err error) {
			if err != nil {
				lines[i] += " failed"
			}
		}
	}}
	p, err := Open(t.Context(), s, modelFS(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	inner := func(name string) string {
		return "component." + name + "\n  " + name + ".construct\n  " + name + ".device_transfer\n  " + name + ".checkpoint_read\n  " + name + ".weight_assignment\n  " + name + ".finalize\n"
	}
	want := "component.tokenizer\n" + inner("text_encoder") + inner("transformer") + inner("vae") + "component.scheduler"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	lines = nil
	fsys := modelFS(t)
	delete(fsys, shard2)
	if _, err := LoadVAE(t.Context(), s, fsys, "vae", opt); err == nil {
		t.Error("it loads")
	}
	if got := strings.Join(lines, "\n"); got != "vae.construct\nvae.device_transfer\nvae.checkpoint_read failed" {
		t.Errorf("got\n%s", got)
	}
}

func FuzzConfig(f *testing.F) {
	for i, name := range []string{"vae/config.json", "transformer/config.json", "text_encoder/config.json"} {
		f.Add(i, modelFS(f)[name].Data)
	}
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		k := classes[uint(which)%uint(len(classes))]
		m, err := k.build("config.json", k.class, data)
		if err == nil && len(m.Params()) == 0 {
			t.Fatal("a model without weights")
		}
	})
}
