package wan

import (
	"fmt"
	"slices"

	"reel/lantern/device"
	"reel/lantern/nn"
)

// Param is a weight that a model needs.
type Param struct {
	Name  string // in the checkpoint
	Shape []int

	also   string // another name under which checkpoints have it
	tensor nn.Tensor
}

// weights is what all models have: their parameters, and the operators that own
// them.
type weights struct {
	class  string
	list   []*Param
	unused func(name string) bool // names that a checkpoint may hold besides; may be nil
	ops    *nn.Ops                // nil until the weights have memory
}

// Class is the name of the Python class that the model follows.
func (w *weights) Class() string { return w.class }

// Params lists the parameters, in the order of the model.
func (w *weights) Params() []Param {
	out := make([]Param, len(w.list))
	for i, p := range w.list {
		out[i] = Param{Name: p.Name, Shape: slices.Clone(p.Shape)}
	}
	return out
}

// Stream is the device stream on which the model was loaded.
func (w *weights) Stream() *device.Stream {
	if w.ops == nil {
		return nil
	}
	return w.ops.Stream()
}

// Close frees the weights. Work that was launched still has them.
func (w *weights) Close() {
	if w.ops != nil {
		w.ops.Close()
	}
}

func (w *weights) base() *weights { return w }

// param adds a parameter.
func (w *weights) param(name string, shape ...int) *Param {
	p := &Param{Name: name, Shape: shape}
	w.list = append(w.list, p)
	return p
}

// allocate gives every parameter memory on the stream's device.
func (w *weights) allocate(o *nn.Ops) error {
	w.ops = o
	for _, p := range w.list {
		p.tensor = o.Empty(p.Shape...)
		if err := o.Err(); err != nil {
			w.Close()
			return fmt.Errorf("tensor %s %v: %w", p.Name, p.Shape, err)
		}
	}
	return nil
}

// get gives the tensor; none for a parameter that the model does not have.
func (p *Param) get() nn.Tensor {
	if p == nil {
		return nn.Tensor{}
	}
	return p.tensor
}

// linear is PyTorch's nn.Linear.
type linear struct{ w, b *Param }

func (w *weights) linear(name string, in, out int, bias bool) linear {
	l := linear{w: w.param(name+".weight", out, in)}
	if bias {
		l.b = w.param(name+".bias", out)
	}
	return l
}

func (l linear) run(o *nn.Ops, x nn.Tensor) nn.Tensor { return o.Linear(x, l.w.get(), l.b.get()) }

// conv is a convolution over clips, or over images when its kernel has two
// dimensions.
type conv struct {
	w, b *Param
	opt  nn.ConvOptions
}

func (w *weights) conv(name string, in, out int, opt nn.ConvOptions, kernel ...int) conv {
	return conv{w.param(name+".weight", append([]int{out, in}, kernel...)...), w.param(name+".bias", out), opt}
}

// run convolves x [N, C, T, H, W]; a kernel of two dimensions goes over each
// frame.
func (c conv) run(o *nn.Ops, x nn.Tensor) nn.Tensor {
	w := c.w.get()
	if s := c.w.Shape; len(s) == 4 {
		w = o.Reshape(w, s[0], s[1], 1, s[2], s[3])
	}
	return o.Conv3d(x, w, c.b.get(), c.opt)
}
