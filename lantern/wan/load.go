package wan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"reel/lantern/device"
	"reel/lantern/wan/safetensors"
)

// PhaseFunc is called when a phase of loading begins, and the function that it
// returns when the phase ends, with the error that ended it or nil. What happens
// inside the phase, inner phases too, gets the context that it returns.
//
// A component's phases are component.NAME, around all of it where Open loads it,
// and NAME.construct, NAME.device_transfer, NAME.checkpoint_read,
// NAME.weight_assignment and NAME.finalize. They name what the loader does:
// files are mapped, so most of a disk's time falls into weight_assignment.
type PhaseFunc func(ctx context.Context, name string) (context.Context, func(error))

// LoadOptions says how to load. The zero value loads all there is.
type LoadOptions struct {
	Phase PhaseFunc // nil observes nothing

	// DType is the type that weights take on the device: F32, which is what ""
	// means too. Others are refused; checkpoints may be F32, F16 and BF16.
	DType safetensors.DType

	// Component is the name in phases; "" is the usual one of the model's class.
	Component string

	// Loose takes a checkpoint that holds tensors which the model does not have.
	// One that lacks some is always refused.
	Loose bool
}

// phase runs f as a phase.
func (opt LoadOptions) phase(ctx context.Context, name string, f func(context.Context) error) error {
	if opt.Phase == nil {
		return f(ctx)
	}
	ctx, end := opt.Phase(ctx, name)
	err := f(ctx)
	end(err)
	return err
}

// Model is a model that weights can be loaded into: *TextEncoder, *Transformer
// or *VAE.
type Model interface {
	Class() string
	Params() []Param
	Stream() *device.Stream
	Close()
	base() *weights
}

// LoadWeights reads the checkpoint of folder dir, and writes it to the device.
// The phases are NAME.checkpoint_read, NAME.weight_assignment and NAME.finalize.
// Errors about the checkpoint are *safetensors.Error and name file and tensor;
// the model is then of no use but for Close.
func LoadWeights(ctx context.Context, m Model, fsys fs.FS, dir string, opt LoadOptions) error {
	name := opt.component(usual(m.Class()))
	var ck *safetensors.Checkpoint
	err := opt.phase(ctx, name+".checkpoint_read", func(context.Context) (err error) {
		ck, err = safetensors.OpenFolder(fsys, dir)
		return err
	})
	if err != nil {
		return err
	}
	err = opt.phase(ctx, name+".weight_assignment", func(ctx context.Context) error {
		return assign(ctx, m.base(), ck, dir, opt)
	})
	return errors.Join(err, opt.phase(ctx, name+".finalize", func(context.Context) error { return ck.Close() }))
}

// Load is BuildModel and LoadWeights for the folder dir of a component, whose
// config.json says what it is.
func Load(ctx context.Context, s *device.Stream, class string, fsys fs.FS, dir string, opt LoadOptions) (Model, error) {
	file := path.Join(dir, "config.json")
	raw, err := readFile(fsys, file, maxConfig)
	if err != nil {
		return nil, fmt.Errorf("wan: %w", err)
	}
	m, err := buildModel(ctx, s, class, file, raw, opt)
	if err != nil {
		return nil, err
	}
	if err := LoadWeights(ctx, m, fsys, dir, opt); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}
