package nn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"reel/lantern/device"
)

// ops returns operators on a device of so many cores.
func ops(t testing.TB, cores int) *Ops {
	t.Helper()
	d := device.New(device.Options{Cores: cores})
	o := On(context.Background(), d.NewStream("test"))
	t.Cleanup(func() {
		o.Close()
		d.Close()
	})
	return o
}

// values reads a tensor.
func values(t testing.TB, o *Ops, x Tensor) []float32 {
	t.Helper()
	got, err := o.ToHost(x)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// noise makes values of a normal distribution.
func noise(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

// near compares by the largest difference over the largest value.
func near(t testing.TB, what string, got, want []float32, limit float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	var diff, most float64
	for i := range want {
		d := math.Abs(float64(got[i]) - float64(want[i]))
		if math.IsNaN(d) && !math.IsNaN(float64(want[i])) {
			d = math.Inf(1)
		}
		diff, most = max(diff, d), max(most, math.Abs(float64(want[i])))
	}
	if diff > limit*max(most, 1e-30) {
		t.Errorf("%s differs by %.3g of %.3g", what, diff, most)
	}
}

func TestScopes(t *testing.T) {
	o := ops(t, 2)
	outer := o.Scope()
	inner := outer.Scope()
	a := inner.FromHost([]float32{1, 2, 3}, 3)
	kept := inner.Keep(inner.Affine(a, 2, 1))
	lost := inner.Add(a, a)
	inner.Close()
	if lost.data() != nil || a.data() != nil {
		t.Error("tensors of a closed scope live")
	}
	near(t, "kept", values(t, o, kept), []float32{3, 5, 7}, 0)
	if o.Add(lost, kept); o.Err() == nil {
		t.Error("a freed tensor was used")
	}
	if err := o.Sync(); err == nil || o.Err() != nil {
		t.Errorf("Sync returned %v, and left %v", err, o.Err())
	}
	outer.Close()
	if m := o.s.Device().Memory(); m.Allocated != 0 {
		t.Errorf("%d bytes are still in use", m.Allocated)
	}
}

func TestBroadcast(t *testing.T) {
	o := ops(t, 2)
	x := o.FromHost(noise(1, 2*3*4), 2, 3, 4)
	row, col, one := o.FromHost([]float32{1, 2, 3, 4}, 4), o.FromHost([]float32{10, 20, 30}, 3, 1), o.FromHost([]float32{5}, 1)
	for name, y := range map[string]Tensor{"row": row, "col": col, "one": one} {
		got, xs, ys := values(t, o, o.Add(x, y)), values(t, o, x), values(t, o, y)
		for i := range xs {
			k := map[string]int{"row": i % 4, "col": i / 4 % 3, "one": 0}[name]
			if got[i] != xs[i]+ys[k] {
				t.Fatalf("%s: value %d is %v", name, i, got[i])
			}
		}
	}
	if o.Add(x, o.Zeros(5)); o.Err() == nil {
		t.Error("shapes that do not fit were added")
	}
}

// TestErrorsStay pins that what does not fit is an error that names the operator and
// the shapes, and that nothing runs after it.
func TestErrorsStay(t *testing.T) {
	o := ops(t, 1)
	x := o.Zeros(2, 3)
	for want, f := range map[string]func() Tensor{
		"nn: linear: weight [4 5] and bias [none] for [2 3]": func() Tensor { return o.Linear(x, o.Zeros(4, 5), Tensor{}) },
		"nn: matmul: [2 3] by [2 3]":                         func() Tensor { return o.MatMul(x, x) },
		"nn: conv2d: weight [2 3] for [2 3]":                 func() Tensor { return o.Conv2d(x, x, Tensor{}, Same(1)) },
		"nn: rms_norm: input 0 is no tensor":                 func() Tensor { return o.RMSNorm(Tensor{}, x, 0) },
		"nn: empty: [-1] is no shape":                        func() Tensor { return o.Empty(-1) },
		"nn: embedding: id 7 of table [2 3]":                 func() Tensor { return o.Embedding(x, []int32{7}, 1) },
		"nn: view: 0:1 of dimension 1 of [2 3]":              func() Tensor { return o.View(x, 1, 0, 1) },
	} {
		if got := f(); !got.IsNone() {
			t.Errorf("%s: a tensor %v came of it", want, got)
		}
		before := o.Stream().Stats().Launched
		if after := o.Add(x, x); !after.IsNone() || o.Stream().Stats().Launched != before {
			t.Errorf("%s: what follows runs", want)
		}
		if err := o.Sync(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if y := o.Add(x, x); y.IsNone() || o.Sync() != nil {
		t.Error("operators do not go on after Sync")
	}
	huge := o.Reshape(x, 1, 1, 1, 2, 3)
	if o.Conv3d(huge, o.Zeros(1, 1, 1, 1, 1), Tensor{}, ConvOptions{Pad: [3][2]int{2: {1 << 40, 0}}}); o.Err() == nil {
		t.Error("padding of any size is taken")
	}
}

// TestDeviceFault pins that a fault in a kernel comes with Sync.
func TestDeviceFault(t *testing.T) {
	o := ops(t, 2)
	o.launch("broken", device.Work{}, func(*device.Kernel) { panic("illegal address") })
	x := o.Full(3, 4)
	if _, err := o.ToHost(x); err == nil {
		t.Error("no error")
	}
	if got := values(t, o, o.Full(3, 1)); got[0] != 3 {
		t.Errorf("the stream does not recover: %v", got)
	}
}
