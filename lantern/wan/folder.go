package wan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"reel/lantern/device"
	"reel/lantern/wan/tokenizer"
)

// Pipeline is the components of a Diffusers folder of class WanPipeline.
type Pipeline struct {
	Tokenizer   *tokenizer.Tokenizer
	TextEncoder *TextEncoder
	Transformer *Transformer
	VAE         *VAE
	Scheduler   SchedulerConfig
}

// index is model_index.json: the library and class of each component.
type index map[string]json.RawMessage

// Open loads the folder that is the root of fsys: model_index.json and the
// components that it names. Each is a phase, component.NAME. Errors about a
// checkpoint are *safetensors.Error, those about a configuration *ConfigError.
func Open(ctx context.Context, s *device.Stream, fsys fs.FS, opt LoadOptions) (*Pipeline, error) {
	idx, err := readIndex(fsys)
	if err != nil {
		return nil, err
	}
	p := &Pipeline{}
	for _, c := range []struct {
		name string
		load func(ctx context.Context, class string) error
	}{
		{"tokenizer", func(context.Context, string) error { return p.loadTokenizer(fsys) }},
		{"text_encoder", func(ctx context.Context, class string) (err error) {
			p.TextEncoder, err = component[*TextEncoder](ctx, s, class, fsys, "text_encoder", opt)
			return err
		}},
		{"transformer", func(ctx context.Context, class string) (err error) {
			p.Transformer, err = component[*Transformer](ctx, s, class, fsys, "transformer", opt)
			return err
		}},
		{"vae", func(ctx context.Context, class string) (err error) {
			p.VAE, err = component[*VAE](ctx, s, class, fsys, "vae", opt)
			return err
		}},
		{"scheduler", func(_ context.Context, class string) error { return p.loadScheduler(fsys, class) }},
	} {
		class, err := idx.class(c.name)
		if err == nil {
			err = opt.phase(ctx, "component."+c.name, func(ctx context.Context) error { return c.load(ctx, class) })
		}
		if err != nil {
			p.Close()
			return nil, err
		}
	}
	if err := p.agree(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// LoadVAE loads the VAE of a component's own folder dir, without a pipeline
// around it: its phases are roots.
func LoadVAE(ctx context.Context, s *device.Stream, fsys fs.FS, dir string, opt LoadOptions) (*VAE, error) {
	m, err := Load(ctx, s, "AutoencoderKLWan", fsys, dir, opt)
	if err != nil {
		return nil, err
	}
	return m.(*VAE), nil
}

// Close frees the weights.
func (p *Pipeline) Close() {
	if p.TextEncoder != nil {
		p.TextEncoder.Close()
	}
	if p.Transformer != nil {
		p.Transformer.Close()
	}
	if p.VAE != nil {
		p.VAE.Close()
	}
}

func component[M Model](ctx context.Context, s *device.Stream, class string, fsys fs.FS, dir string, opt LoadOptions) (none M, err error) {
	opt.Component = dir
	m, err := Load(ctx, s, class, fsys, dir, opt)
	if err != nil {
		return none, err
	}
	out, ok := m.(M)
	if !ok {
		m.Close()
		return none, &ConfigError{File: "model_index.json", Field: dir, Value: class}
	}
	return out, nil
}

func readIndex(fsys fs.FS) (index, error) {
	const file = "model_index.json"
	raw, err := readFile(fsys, file, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("wan: %w; is this the root of a Diffusers folder?", err)
	}
	if err != nil {
		return nil, fmt.Errorf("wan: %w", err)
	}
	var idx index
	if err := json.Unmarshal(raw, &idx); err != nil {
		return nil, fmt.Errorf("wan: %s: %w", file, err)
	}
	if class := idx.text("_class_name"); class != "WanPipeline" {
		return nil, &ConfigError{File: file, Field: "_class_name", Value: class, Want: "WanPipeline"}
	}
	for _, field := range []string{"transformer_2", "expand_timesteps", "boundary_ratio"} {
		switch v := string(idx[field]); v {
		case "", "null", "false", "[null,null]", "[null, null]":
		default:
			var pair []*string
			if json.Unmarshal(idx[field], &pair) == nil && len(pair) == 2 && pair[0] == nil && pair[1] == nil {
				continue
			}
			return nil, &ConfigError{File: file, Field: field, Value: v, Want: "null (Wan 2.1)"}
		}
	}
	return idx, nil
}

// text gives a field that is a text; "" otherwise.
func (idx index) text(field string) string {
	var s string
	if json.Unmarshal(idx[field], &s) != nil {
		return ""
	}
	return s
}

// class gives the class of a component.
func (idx index) class(name string) (string, error) {
	var pair []string
	if err := json.Unmarshal(idx[name], &pair); err != nil || len(pair) != 2 {
		return "", &ConfigError{File: "model_index.json", Field: name, Value: string(idx[name]), Want: "a library and a class"}
	}
	return pair[1], nil
}

func (p *Pipeline) loadTokenizer(fsys fs.FS) error {
	raw, err := readFile(fsys, "tokenizer/tokenizer.json", 64<<20)
	if err != nil {
		return fmt.Errorf("wan: %w", err)
	}
	if p.Tokenizer, err = tokenizer.Parse(raw); err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	raw, err = readFile(fsys, "tokenizer/tokenizer_config.json", maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("wan: %w", err)
	}
	pad, err := padToken(raw)
	if err == nil && pad != "" {
		p.Tokenizer, err = p.Tokenizer.WithPad(pad)
	}
	if err != nil {
		return fmt.Errorf("tokenizer/tokenizer_config.json: pad_token: %w", err)
	}
	return nil
}

// padToken reads "pad_token", which is a text or an object with "content".
func padToken(raw []byte) (string, error) {
	var in struct {
		Pad json.RawMessage `json:"pad_token"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return "", err
	}
	if len(in.Pad) == 0 || string(in.Pad) == "null" {
		return "", nil
	}
	var text string
	if json.Unmarshal(in.Pad, &text) == nil {
		return text, nil
	}
	var token struct {
		Content string `json:"content"`
	}
	err := json.Unmarshal(in.Pad, &token)
	return token.Content, err
}

func (p *Pipeline) loadScheduler(fsys fs.FS, class string) error {
	file := path.Join("scheduler", "scheduler_config.json")
	if class != "FlowMatchEulerDiscreteScheduler" {
		return &ConfigError{File: "model_index.json", Field: "scheduler", Value: class, Want: "FlowMatchEulerDiscreteScheduler"}
	}
	raw, err := readFile(fsys, file, maxConfig)
	if err != nil {
		return fmt.Errorf("wan: %w", err)
	}
	p.Scheduler = DefaultSchedulerConfig()
	return parseConfig(file, class, raw, &p.Scheduler)
}

// agree says which components do not fit each other.
func (p *Pipeline) agree() error {
	t, e, v := p.Transformer.Config, p.TextEncoder.Config, p.VAE.Config
	var k checks
	k.that(t.TextDim == e.DModel, "text_dim", t.TextDim, fmt.Sprintf("%d, as wide as the text encoder's states", e.DModel))
	k.that(t.InChannels == v.ZDim, "in_channels", t.InChannels, fmt.Sprintf("%d, as the VAE's latents", v.ZDim))
	k.that(t.OutChannels == v.ZDim, "out_channels", t.OutChannels, fmt.Sprintf("%d, as the VAE's latents", v.ZDim))
	k.that(p.Tokenizer.MaxID() < e.VocabSize, "vocab_size", e.VocabSize, fmt.Sprintf("above the tokenizer's %d", p.Tokenizer.MaxID()))
	if c, ok := k.err.(*ConfigError); ok {
		c.File = "transformer/config.json"
		if c.Field == "vocab_size" {
			c.File = "text_encoder/config.json"
		}
	}
	return k.err
}
