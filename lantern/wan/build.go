package wan

import (
	"context"
	"fmt"
	"slices"

	"reel/lantern/device"
	"reel/lantern/nn"
	"reel/lantern/wan/safetensors"
)

// kind is how a class of models is made.
type kind struct {
	class, component string
	build            func(file, class string, raw []byte) (Model, error)
}

// classes are the models by the Python class that they follow, and the name that
// a pipeline's folder has for them.
var classes = []kind{
	{"AutoencoderKLWan", "vae", func(file, class string, raw []byte) (Model, error) {
		c := DefaultVAEConfig()
		if err := parseConfig(file, class, raw, &c); err != nil {
			return nil, err
		}
		return newVAE(c), nil
	}},
	{"WanTransformer3DModel", "transformer", func(file, class string, raw []byte) (Model, error) {
		c := DefaultTransformerConfig()
		if err := parseConfig(file, class, raw, &c); err != nil {
			return nil, err
		}
		return newTransformer(c), nil
	}},
	{"UMT5EncoderModel", "text_encoder", func(file, class string, raw []byte) (Model, error) {
		c := DefaultTextConfig()
		if err := parseConfig(file, class, raw, &c); err != nil {
			return nil, err
		}
		return newTextEncoder(c), nil
	}},
}

// BuildModel makes the model of a class, from the config.json of the caller's
// choice, and gives its weights memory on the stream's device; their content is
// undefined until LoadWeights. It reads no file. The phases are NAME.construct
// and NAME.device_transfer.
func BuildModel(ctx context.Context, s *device.Stream, class string, config []byte, opt LoadOptions) (Model, error) {
	return buildModel(ctx, s, class, "config.json", config, opt)
}

// Describe lists the parameters of a class with a configuration, in the order of
// the model, without a device or memory for them.
func Describe(class string, config []byte) ([]Param, error) {
	m, err := construct(class, "config.json", config)
	if err != nil {
		return nil, err
	}
	return m.Params(), nil
}

func construct(class, file string, config []byte) (Model, error) {
	i := slices.IndexFunc(classes, func(k kind) bool { return k.class == class })
	if i < 0 {
		return nil, &ConfigError{File: file, Field: "_class_name", Value: class}
	}
	return classes[i].build(file, class, config)
}

func buildModel(ctx context.Context, s *device.Stream, class, file string, config []byte, opt LoadOptions) (Model, error) {
	if opt.DType != "" && opt.DType != safetensors.F32 {
		return nil, &ConfigError{Field: "dtype", Value: string(opt.DType), Want: "F32: the device computes in float32"}
	}
	name := opt.component(usual(class))
	var m Model
	err := opt.phase(ctx, name+".construct", func(context.Context) (err error) {
		m, err = construct(class, file, config)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = opt.phase(ctx, name+".device_transfer", func(ctx context.Context) error { return transfer(ctx, s, m) })
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("wan: %s: move to the device: %w", class, err)
	}
	return m, nil
}

func (opt LoadOptions) component(usual string) string {
	if opt.Component != "" {
		return opt.Component
	}
	return usual
}

// transfer gives the model memory and puts its constants there.
func transfer(ctx context.Context, s *device.Stream, m Model) error {
	o := nn.On(context.WithoutCancel(ctx), s)
	if err := m.base().allocate(o); err != nil {
		return err
	}
	if v, ok := m.(*VAE); ok {
		v.prepare(o)
	}
	return o.Sync()
}

func usual(class string) string {
	for _, c := range classes {
		if c.class == class {
			return c.component
		}
	}
	return "model"
}
