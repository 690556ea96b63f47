// Package checkpoint holds the weights of Lantern's own tiny model.
//
// It is an ordinary Diffusers folder in half precision (WanPipeline: scheduler,
// text_encoder, tokenizer, transformer, vae), trained by the scripts under
// python/train on coloured shapes that move over plain backgrounds;
// docs/lantern-training.md says how, and what the model can and cannot do. The
// same folder loads in Python with Diffusers' own classes.
//
// The package only embeds the files: it reads no weights and checks none.
package checkpoint

import (
	"embed"
	"io/fs"
)

//go:embed model
var files embed.FS

// FS returns the folder; model_index.json stands at its root. The files are part
// of the program, so that opening one that is listed does not fail.
func FS() fs.FS {
	model, err := fs.Sub(files, "model")
	if err != nil { // fs.Sub fails only for a path that is not valid, and "model" is
		return files
	}
	return model
}
