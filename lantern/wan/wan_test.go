package wan

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"reel/lantern/device"
	"reel/lantern/nn"
)

// host waits for tensors and gives their values.
func (r *rig) host(t nn.Tensor) []float32 {
	r.t.Helper()
	v, err := r.o.ToHost(t)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// same says that two tensors hold the same values, or nearly.
func (r *rig) same(what string, a, b nn.Tensor) {
	r.t.Helper()
	if norm, top := difference(r.host(a), r.host(b)); !(norm <= 1e-5) || !(top <= 1e-5) {
		r.t.Errorf("%s: %.2g in norm, %.2g at most", what, norm, top)
	}
}

// TestSplits takes the pieces of a clip through the decoder whole, where Decode
// goes frame by frame.
func TestSplits(t *testing.T) {
	r := newRig(t)
	v := r.p.VAE
	z := v.postQuant.run(r.o, r.tensor("vae.z"))
	for _, splits := range [][]int{{1, 3}, {1, 2, 1}, {1, 1, 2}} {
		cache := v.NewDecodeCache(r.o)
		got := r.pieces(z, splits, func(p nn.Tensor) nn.Tensor { return v.decoder.run(r.o, p, cache) })
		r.check(fmt.Sprintf("pieces of %v", splits), r.o.Clamp(got, -1, 1), "vae.frames", model)
		cache.Close()
	}
	frames, shape := r.values("vae.frames")
	clamped := 0
	for _, f := range frames {
		if f == 1 || f == -1 {
			clamped++
		}
	}
	if clamped > len(frames)/4 {
		t.Errorf("%d of %d values of the golden are clamped, so that it shows little", clamped, len(frames))
	}
	one := v.Decode(r.o, r.o.Slice(r.tensor("vae.z"), 2, 0, 1), nil)
	r.same("one latent frame", one, r.o.Slice(r.tensor("vae.frames"), 2, 0, 1))
	if !one.HasDims(1, shape[1], 1, shape[3], shape[4]) {
		t.Errorf("one latent frame gives %v", one)
	}
}

// TestTrim drops the oldest block. In a model of one layer, keys and values do not
// depend on what came before, so the rest must be as if that block had never been
// computed; only the frames' numbers tell.
func TestTrim(t *testing.T) {
	r := newRig(t)
	m := *r.p.Transformer
	m.blocks = m.blocks[:1]
	text := m.Text(r.o, r.tensor("causal.0.text"))
	blocks := []nn.Tensor{r.tensor("causal.1.clean"), r.tensor("causal.2.clean")}
	noisy := r.tensor("causal.2.noisy")
	n, h, w := noisy.Dim(2), noisy.Dim(3), noisy.Dim(4)

	cache := m.NewCache(r.o, 2*n, h, w)
	defer cache.Close()
	for _, b := range blocks {
		m.Commit(r.o, b, text, cache)
	}
	full := m.Forward(r.o, noisy, []float32{500}, text, cache)
	cache.Trim(r.o, n)
	if cache.Frames() != 2*n || cache.Held() != n || cache.Room() != n {
		t.Fatalf("after Trim: %d frames, %d held, room for %d", cache.Frames(), cache.Held(), cache.Room())
	}
	got := m.Forward(r.o, noisy, []float32{500}, text, cache)

	fresh := m.NewCache(r.o, n, h, w)
	defer fresh.Close()
	fresh.base = n
	m.Commit(r.o, blocks[1], text, fresh)
	r.same("trimmed", got, m.Forward(r.o, noisy, []float32{500}, text, fresh))
	if norm, _ := difference(r.host(got), r.host(full)); norm < 1e-4 {
		t.Errorf("what was dropped made no difference (%.1g)", norm)
	}
	cache.Trim(r.o, 0)
	cache.Reset()
	r.same("reset", m.Forward(r.o, noisy, []float32{500}, text, cache), m.Forward(r.o, noisy, []float32{500}, text, nil))
}

// TestPrompts covers what people type.
func TestPrompts(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat("a red circle ", 500)
	short := r.p.EncodePrompt(r.o, "a red circle a", 5)
	r.same("a long prompt is cut, and keeps its end", r.p.EncodePrompt(r.o, long, 5), short)
	if x := r.p.EncodePrompt(r.o, long, 512); !x.HasDims(1, 512, r.p.TextEncoder.Config.DModel) || slices.ContainsFunc(r.host(x), func(v float32) bool { return v != v }) {
		t.Errorf("512 tokens: %v", x)
	}
	empty := r.host(r.p.EncodePrompt(r.o, " \n ", 4))
	if d := r.p.TextEncoder.Config.DModel; slices.Max(empty[:d]) == 0 || slices.ContainsFunc(empty[d:], func(v float32) bool { return v != 0 }) {
		t.Errorf("the empty prompt: %v", empty)
	}
	for text, want := range map[string]string{"a &amp;amp; b\t\n c ": "a & b c", "": "", "\u00a0x\x1fy\u3000": "x y"} {
		if got := CleanPrompt(text); got != want {
			t.Errorf("CleanPrompt(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestMisuse gives inputs that do not fit: an error each, and the device goes on.
func TestMisuse(t *testing.T) {
	r := newRig(t)
	m, v := r.p.Transformer, r.p.VAE
	x := r.tensor("dit.1.x")
	text := m.Text(r.o, r.tensor("dit.1.text"))
	cache := m.NewCache(r.o, 1, x.Dim(3), x.Dim(4))
	defer cache.Close()
	m.Commit(r.o, x, text, cache)
	r.host(x)
	for name, f := range map[string]func(){
		"channels":         func() { m.Forward(r.o, r.o.Zeros(1, 1, 1, 4, 4), []float32{1}, text, nil) },
		"odd size":         func() { m.Forward(r.o, r.o.Zeros(1, x.Dim(1), 1, 5, 4), []float32{1}, text, nil) },
		"two clips":        func() { m.Forward(r.o, r.o.Zeros(2, x.Dim(1), 1, 4, 4), []float32{1}, text, nil) },
		"no timestep":      func() { m.Forward(r.o, x, nil, text, nil) },
		"three timesteps":  func() { m.Forward(r.o, x, []float32{1, 2, 3}, text, nil) },
		"no text":          func() { m.Forward(r.o, x, []float32{1}, nil, nil) },
		"text width":       func() { m.Text(r.o, r.o.Zeros(1, 3, 5)) },
		"full cache":       func() { m.Commit(r.o, x, text, cache) },
		"no cache":         func() { m.Commit(r.o, x, text, nil) },
		"other frame size": func() { m.Forward(r.o, r.o.Zeros(1, x.Dim(1), 1, 8, 8), []float32{1}, text, cache) },
		"cache size":       func() { m.NewCache(r.o, 0, 4, 4) },
		"latents":          func() { v.Decode(r.o, r.o.Zeros(1, 99, 1, 2, 2), nil) },
		"no frames":        func() { v.Decode(r.o, r.o.Empty(1, v.Config.ZDim, 0, 2, 2), nil) },
		"frame size":       func() { v.Encode(r.o, r.o.Zeros(1, 3, 1, 7, 8), nil) },
		"other cache":      func() { v.Decode(r.o, r.tensor("vae.z"), v.NewEncodeCache(r.o)) },
		"token":            func() { r.p.TextEncoder.Encode(r.o, []int{1 << 30}) },
		"no tokens":        func() { r.p.TextEncoder.Encode(r.o, nil) },
		"no room":          func() { r.p.EncodePrompt(r.o, "a", 0) },
	} {
		f()
		if err := r.o.Sync(); err == nil || strings.Contains(err.Error(), "panic") {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.host(m.Forward(r.o, x, []float32{1}, text, nil))
	for _, n := range []int{0, -1, MaxSteps + 1} {
		if _, err := r.p.Scheduler.Schedule(n); err == nil {
			t.Errorf("%d steps", n)
		}
	}
	for _, s := range [][]float32{nil, {0}, {1.5}, {0.5, 0.5}, {float32(math.NaN())}} {
		if _, err := r.p.Scheduler.ScheduleFrom(s); err == nil {
			t.Errorf("sigmas %v", s)
		}
	}
}

// TestMemory closes all there is, and the device must have nothing left in use.
func TestMemory(t *testing.T) {
	d := device.New(device.Options{})
	defer d.Close()
	s := d.NewStream("test")
	p, err := Open(t.Context(), s, os.DirFS("testdata/model"), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	held := d.Memory().Allocated
	o := nn.On(t.Context(), s)
	text := p.Transformer.Text(o, p.EncodePrompt(o, "a red circle", 6))
	kv := p.Transformer.NewCache(o, 2, 2, 2)
	z := o.Zeros(1, p.Transformer.Config.InChannels, 1, 2, 2)
	p.Transformer.Commit(o, z, text, kv)
	p.Transformer.Forward(o, z, []float32{9}, text, kv)
	cache := p.VAE.NewDecodeCache(o)
	p.VAE.Decode(o, z, cache)
	p.VAE.Encode(o, p.VAE.Decode(o, z, nil), nil)
	kv.Close()
	cache.Close()
	o.Close()
	if err := o.Sync(); err != nil {
		t.Fatal(err)
	}
	if now := d.Memory().Allocated; now != held {
		t.Errorf("%d bytes in use after a clip, %d before", now, held)
	}
	p.Close()
	if now := d.Memory().Allocated; now != 0 {
		t.Errorf("%d bytes in use after Close", now)
	}
}
