package nn

import (
	"context"
	"fmt"
	"slices"

	"reel/event"
	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
	"reel/rec"
)

// Ops launches operators on a stream, and owns the tensors that they return. It is
// used by one goroutine. The first thing that goes wrong stays: operators do nothing
// and return no tensor from then on, and Err and Sync say what it was. So model code
// is written straight and checks once.
type Ops struct {
	ctx    context.Context
	s      *device.Stream
	parent *Ops
	own    []device.Buffer
	tile   simd.Tile // the micro-kernel of products
	state  *state    // shared by all scopes
}

// state is what scopes share.
type state struct {
	err  error
	taps map[tapsKey][]int32 // offsets of convolutions
}

// On returns the operators of a stream. Ranges of what they launch lie on the track
// of ctx.
func On(ctx context.Context, s *device.Stream) *Ops {
	return &Ops{ctx: ctx, s: s, tile: simd.BestTile(), state: &state{taps: map[tapsKey][]int32{}}}
}

// Scope returns Ops whose tensors are freed when it is closed. It shares its errors
// with o.
//
//	s := o.Scope()
//	defer s.Close()
//	h := s.Linear(x, w1, b1)
//	return s.Keep(s.Linear(s.SiLU(h), w2, b2))
func (o *Ops) Scope() *Ops {
	return &Ops{ctx: o.ctx, s: o.s, parent: o, tile: o.tile, state: o.state}
}

// Keep lets a tensor of this scope live on in the one around it. Tensors of others
// are theirs anyway.
func (o *Ops) Keep(t Tensor) Tensor {
	if i := slices.Index(o.own, t.buf); i >= 0 && o.parent != nil {
		o.own = slices.Delete(o.own, i, i+1)
		o.parent.own = append(o.parent.own, t.buf)
	}
	return t
}

// Free frees tensors of this scope before its end; views of them end with them.
func (o *Ops) Free(list ...Tensor) {
	for _, t := range list {
		if i := slices.Index(o.own, t.buf); i >= 0 {
			o.own = slices.Delete(o.own, i, i+1)
			t.buf.Free(o.ctx)
		}
	}
}

// Close frees the scope's tensors. Work that was launched still has them. It may be
// called again.
func (o *Ops) Close() {
	for i := len(o.own) - 1; i >= 0; i-- {
		o.own[i].Free(o.ctx)
	}
	o.own = o.own[:0]
}

// Context returns the context of the operators.
func (o *Ops) Context() context.Context { return o.ctx }

// Stream returns the stream of the operators.
func (o *Ops) Stream() *device.Stream { return o.s }

// Err returns the first thing that went wrong as operators were launched.
func (o *Ops) Err() error { return o.state.err }

// Fail makes err the first thing that went wrong, unless there is one: for code that
// builds on operators.
func (o *Ops) Fail(err error) {
	if o.state.err == nil {
		o.state.err = err
	}
}

// Sync waits until the stream is idle. It returns the first error of launching, or
// the device's. Launching goes on afterwards.
func (o *Ops) Sync() error {
	err := o.s.Synchronize(o.ctx)
	if o.state.err != nil {
		err = o.state.err
		o.state.err = nil
	}
	return err
}

// fail keeps an error of an operator and returns no tensor.
func (o *Ops) fail(op, format string, args ...any) Tensor {
	o.Fail(fmt.Errorf("nn: %s: %s", op, fmt.Sprintf(format, args...)))
	return Tensor{}
}

// ready reports whether an operator can run: nothing went wrong, and its inputs are
// tensors that live.
func (o *Ops) ready(op string, inputs ...Tensor) bool {
	if o.state.err != nil {
		return false
	}
	for i, t := range inputs {
		if t.IsNone() {
			o.fail(op, "input %d is no tensor", i)
			return false
		}
		if t.data() == nil {
			o.fail(op, "input %d %v was freed", i, t)
			return false
		}
	}
	return true
}

// live is ready for optional inputs: none is fine.
func (o *Ops) live(op string, inputs ...Tensor) bool {
	for _, t := range inputs {
		if !t.IsNone() && !o.ready(op, t) {
			return false
		}
	}
	return o.state.err == nil
}

// Empty returns a tensor of unknown content.
func (o *Ops) Empty(dims ...int) Tensor {
	n, ok := count(dims)
	if !ok {
		return o.fail("empty", "%s is no shape", shapeText(dims))
	}
	if o.state.err != nil {
		return Tensor{}
	}
	buf, err := o.s.Alloc(o.ctx, n)
	if err != nil {
		o.Fail(fmt.Errorf("nn: tensor %s: %w", shapeText(dims), err))
		return Tensor{}
	}
	o.own = append(o.own, buf)
	return Tensor{buf: buf, n: n}.shaped(dims)
}

// like returns an empty tensor of t's shape.
func (o *Ops) like(t Tensor) Tensor { return o.Empty(t.dims[:t.rank]...) }

// launch puts a kernel on the stream.
func (o *Ops) launch(name string, w device.Work, fn func(*device.Kernel)) {
	o.s.Launch(o.ctx, name, w, fn)
}

// op begins the range of an operator, where something is recorded.
func (o *Ops) op(name string, inputs ...Tensor) rec.Range { return o.counted(name, 0, inputs...) }

// counted is op for an operator that says how many floating-point operations it does.
func (o *Ops) counted(name string, flops int64, inputs ...Tensor) rec.Range {
	p := o.s.Profiling()
	if p == nil {
		return rec.Range{}
	}
	name = opPrefix + name
	var args []event.Arg
	if p.Shapes {
		args = append(args, event.Arg{Key: "Input Dims", Kind: event.ArgRaw, Text: dimsJSON(inputs)})
	}
	if p.Stacks {
		args = append(args, event.Arg{Key: "Call stack", Kind: event.ArgText, Text: callStack()})
	}
	if p.FLOPs && flops > 0 {
		args = append(args, event.Arg{Key: "FLOPs", Num: uint64(flops)})
	}
	return p.Recorder.Op(o.ctx, name, args...)
}

// opPrefix begins the names of operators in recordings.
const opPrefix = "nn::"

// UsedBy says that work on another stream uses the tensors: their memory serves
// nothing else before what was launched there until Free has run.
func (o *Ops) UsedBy(s *device.Stream, list ...Tensor) {
	for _, t := range list {
		t.buf.UsedOn(s)
	}
}
