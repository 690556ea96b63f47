package wan

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"reel/lantern/device"
	"reel/lantern/nn"
	"reel/lantern/wan/safetensors"
)

// goldens is what python/goldens/wan_goldens.py wrote.
type goldens struct {
	Text       [][]int
	Prompts    []string
	TextLength int `json:"text_length"`
	Dit        [][]float32
	Causal     struct {
		Blocks        []int
		Timestep      float32
		Height, Width int
	}
	Schedules []scheduleGolden
	Custom    scheduleGolden
	Denoise   struct {
		Prompt   string
		Steps    int
		Guidance float32
	}
	tensors *safetensors.Checkpoint
}

type scheduleGolden struct {
	Shift             float64
	Steps             int
	From              []float32 `json:"from_"`
	Sigmas, Timesteps []float32
}

// rig is a device with the golden model on it.
type rig struct {
	*goldens
	t *testing.T
	o *nn.Ops
	p *Pipeline
}

// folders gives the goldens and the model of the test: those of testdata, or
// what the environment says, for the comparison with the live libraries.
func folders() (data, model string) {
	data = os.Getenv("REEL_LANTERN_GOLDENS")
	if data == "" {
		data = "testdata"
	}
	model = os.Getenv("REEL_LANTERN_MODEL")
	if model == "" {
		model = filepath.Join(data, "model")
	}
	return data, model
}

func newRig(t *testing.T) *rig {
	t.Helper()
	data, model := folders()
	r := readGoldens(t, data)
	p, err := Open(t.Context(), r.o.Stream(), os.DirFS(model), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	r.p = p
	return r
}

// readGoldens makes a device, and reads what is to be compared.
func readGoldens(t *testing.T, data string) *rig {
	t.Helper()
	g := &goldens{}
	raw, err := os.ReadFile(filepath.Join(data, "goldens.json"))
	if err == nil {
		err = json.Unmarshal(raw, g)
	}
	if err == nil {
		g.tensors, err = safetensors.Open(os.DirFS(data), "goldens.safetensors")
	}
	if err != nil {
		t.Fatal(err)
	}
	d := device.New(device.Options{})
	o := nn.On(t.Context(), d.NewStream("test"))
	t.Cleanup(func() {
		o.Close()
		d.Close()
		g.tensors.Close()
	})
	return &rig{g, t, o, nil}
}

// tensor puts a golden on the device.
func (r *rig) tensor(name string) nn.Tensor {
	r.t.Helper()
	values, shape := r.values(name)
	return r.o.FromHost(values, shape...)
}

func (r *rig) values(name string) ([]float32, []int) {
	r.t.Helper()
	g, ok := r.tensors.Tensor(name)
	if !ok {
		r.t.Fatalf("no golden %s", name)
	}
	values := make([]float32, g.Len())
	if err := g.Floats(values, 0); err != nil {
		r.t.Fatal(err)
	}
	return values, g.Shape
}

// check compares with a golden, by the norm of the difference and by its largest
// value, both relative to the golden's.
func (r *rig) check(what string, got nn.Tensor, golden string, most float64) {
	r.t.Helper()
	want, shape := r.values(golden)
	if r.o.Err() == nil && !got.HasDims(shape...) {
		r.t.Fatalf("%s: %v, want %v", what, got, shape)
	}
	values, err := r.o.ToHost(got)
	if err != nil {
		r.t.Fatalf("%s: %v", what, err)
	}
	norm, top := difference(values, want)
	if !(norm <= most) || !(top <= most) {
		r.t.Errorf("%s differs from %s by %.2g in norm, %.2g at most; %.0e is allowed", what, golden, norm, top, most)
	} else if testing.Verbose() {
		r.t.Logf("%s: %.1e in norm, %.1e at most", what, norm, top)
	}
}

func difference(got, want []float32) (norm, top float64) {
	var diff, all, most, peak float64
	for i := range want {
		d, w := float64(got[i])-float64(want[i]), float64(want[i])
		if math.IsNaN(d) {
			return math.NaN(), math.NaN()
		}
		diff, all = diff+d*d, all+w*w
		most, peak = max(most, math.Abs(d)), max(peak, math.Abs(w))
	}
	return math.Sqrt(diff / all), most / peak
}

// model is how far one model may be from the original; loop, a whole denoise.
const (
	model = 1e-4
	loop  = 1e-3
)

func TestTextEncoder(t *testing.T) {
	r := newRig(t)
	for i, ids := range r.Text {
		r.check(fmt.Sprintf("%d tokens", len(ids)), r.p.TextEncoder.Encode(r.o, ids), fmt.Sprintf("text.%d", i), model)
	}
	for i, p := range r.Prompts {
		r.check(fmt.Sprintf("prompt %q", p), r.p.EncodePrompt(r.o, p, r.TextLength), fmt.Sprintf("prompt.%d", i), model)
	}
}

func TestTransformer(t *testing.T) {
	r := newRig(t)
	for i, times := range r.Dit {
		name := fmt.Sprintf("dit.%d.", i)
		text := r.p.Transformer.Text(r.o, r.tensor(name+"text"))
		y := r.p.Transformer.Forward(r.o, r.tensor(name+"x"), times, text, nil)
		r.check(fmt.Sprintf("%d timesteps", len(times)), y, name+"y", model)
	}
}

// TestCausal runs blocks one after the other with the cache; the goldens are of
// masked passes over all blocks at once.
func TestCausal(t *testing.T) {
	r := newRig(t)
	m, c := r.p.Transformer, r.Causal
	total := 0
	for _, n := range c.Blocks {
		total += n
	}
	for _, room := range []int{total, total - 1} { // without room for the last block, it is joined in a copy
		cache := m.NewCache(r.o, room, c.Height, c.Width)
		defer cache.Close()
		for i, n := range c.Blocks {
			name := fmt.Sprintf("causal.%d.", i)
			text := m.Text(r.o, r.tensor(name+"text"))
			for range 2 { // a pass leaves no trace in the cache
				y := m.Forward(r.o, r.tensor(name+"noisy"), []float32{c.Timestep}, text, cache)
				r.check(fmt.Sprintf("block %d of %d frames", i, n), y, name+"y", model)
			}
			if n <= cache.Room() {
				m.Commit(r.o, r.tensor(name+"clean"), text, cache)
			}
		}
		if err := r.o.Sync(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVAE(t *testing.T) {
	r := newRig(t)
	v, z, x := r.p.VAE, r.tensor("vae.z"), r.tensor("vae.x")
	r.check("normalised", v.Normalize(r.o, z), "vae.normal", 1e-6)
	r.check("denormalised", v.Denormalize(r.o, z), "vae.plain", 1e-6)
	for _, splits := range [][]int{{4}, {1, 3}, {1, 1, 1, 1}, {2, 2}, {1, 2, 1}} {
		cache := v.NewDecodeCache(r.o)
		r.check(fmt.Sprintf("decoded as %v", splits), r.pieces(z, splits, func(p nn.Tensor) nn.Tensor { return v.Decode(r.o, p, cache) }), "vae.frames", model)
		cache.Reset()
		r.check("decoded again", v.Decode(r.o, z, cache), "vae.frames", model)
		cache.Close()
	}
	r.check("decoded at once", v.Decode(r.o, z, nil), "vae.frames", model)
	for _, splits := range [][]int{{9}, {1, 8}, {5, 4}, {1, 4, 4}} {
		cache := v.NewEncodeCache(r.o)
		r.check(fmt.Sprintf("encoded as %v", splits), r.pieces(x, splits, func(p nn.Tensor) nn.Tensor { return v.Encode(r.o, p, cache) }), "vae.mean", model)
		cache.Close()
	}
	r.check("encoded at once, with a frame too many", v.Encode(r.o, x, nil), "vae.mean", model)
}

// TestVAEFolder loads a VAE's own folder that the environment names.
func TestVAEFolder(t *testing.T) {
	dir := os.Getenv("REEL_LANTERN_VAE")
	if dir == "" {
		t.Skip("REEL_LANTERN_VAE names no folder; python/integration/lantern.py does")
	}
	data, _ := folders()
	r := readGoldens(t, data)
	v, err := LoadVAE(t.Context(), r.o.Stream(), os.DirFS(dir), ".", LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	r.check("decoded", v.Decode(r.o, r.tensor("vae.z"), nil), "vae.frames", model)
	r.check("encoded", v.Encode(r.o, r.tensor("vae.x"), nil), "vae.mean", model)
}

// pieces runs f over the frames of x in pieces and joins what comes out.
func (r *rig) pieces(x nn.Tensor, sizes []int, f func(nn.Tensor) nn.Tensor) nn.Tensor {
	var out []nn.Tensor
	at := 0
	for _, n := range sizes {
		out = append(out, f(r.o.Slice(x, 2, at, at+n)))
		at += n
	}
	return r.o.Concat(2, out...)
}

func TestSchedule(t *testing.T) {
	r := newRig(t)
	equal := func(what string, got Schedule, err error, want scheduleGolden) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Sigmas {
			if got.Sigmas[i] != want.Sigmas[i] || i < got.Steps() && got.Timesteps[i] != want.Timesteps[i] {
				t.Fatalf("%s: sigma %d is %v, want %v", what, i, got.Sigmas[i], want.Sigmas[i])
			}
		}
	}
	for _, want := range r.Schedules {
		c := DefaultSchedulerConfig()
		c.Shift = want.Shift
		got, err := c.Schedule(want.Steps)
		equal(fmt.Sprintf("shift %g, %d steps", c.Shift, want.Steps), got, err, want)
	}
	c := DefaultSchedulerConfig()
	c.Shift = r.Custom.Shift
	got, err := c.ScheduleFrom(r.Custom.From)
	equal("custom sigmas", got, err, r.Custom)
}

// TestDenoise makes a clip from the latents that WanPipeline was given.
func TestDenoise(t *testing.T) {
	r := newRig(t)
	d, m := r.Denoise, r.p.Transformer
	schedule, err := r.p.Scheduler.Schedule(d.Steps)
	if err != nil {
		t.Fatal(err)
	}
	with := m.Text(r.o, r.p.EncodePrompt(r.o, d.Prompt, r.TextLength))
	without := m.Text(r.o, r.p.EncodePrompt(r.o, "", r.TextLength))
	x := r.tensor("denoise.x")
	for i := range schedule.Steps() {
		now := schedule.Timesteps[i : i+1]
		flow := Guide(r.o, m.Forward(r.o, x, now, with, nil), m.Forward(r.o, x, now, without, nil), d.Guidance)
		x = schedule.Step(r.o, i, x, flow)
	}
	r.check("latents", x, "denoise.y", loop)
	r.check("frames", r.p.VAE.Decode(r.o, r.p.VAE.Denormalize(r.o, x), nil), "denoise.frames", loop)
}
