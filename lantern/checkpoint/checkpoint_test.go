package checkpoint

import (
	"encoding/json"
	"io/fs"
	"path"
	"testing"
)

// TestFolder: every component of model_index.json has its configuration, the
// models their weights, and all of it stays small enough to embed.
func TestFolder(t *testing.T) {
	model := FS()
	text, err := fs.ReadFile(model, "model_index.json")
	if err != nil {
		t.Fatal(err)
	}
	var index map[string]any
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	if index["_class_name"] != "WanPipeline" {
		t.Errorf("pipeline is %v, want WanPipeline", index["_class_name"])
	}
	for part, want := range map[string][]string{
		"scheduler":    {"scheduler_config.json"},
		"text_encoder": {"config.json", "model.safetensors"},
		"tokenizer":    {"tokenizer.json", "tokenizer_config.json"},
		"transformer":  {"config.json", "diffusion_pytorch_model.safetensors"},
		"vae":          {"config.json", "diffusion_pytorch_model.safetensors"},
	} {
		if index[part] == nil {
			t.Errorf("model_index.json names no %s", part)
		}
		for _, name := range want {
			info, err := fs.Stat(model, path.Join(part, name))
			if err != nil || info.Size() == 0 {
				t.Errorf("%s/%s: %v", part, name, err)
			}
		}
	}
}

// TestSize: the repository carries at most 6 MB of model.
func TestSize(t *testing.T) {
	const most = 6_000_000
	var total int64
	err := fs.WalkDir(FS(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total < 1_000_000 || total > most {
		t.Errorf("the folder holds %d bytes, want at most %d and the weights in it", total, most)
	}
}
