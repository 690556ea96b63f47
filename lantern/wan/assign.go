package wan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reel/lantern/nn"
	"reel/lantern/wan/safetensors"
)

// assign writes each tensor of the checkpoint to its parameter, in the order of
// the files.
func assign(ctx context.Context, w *weights, ck *safetensors.Checkpoint, dir string, opt LoadOptions) error {
	todo, err := w.match(ck, dir, opt.Loose)
	if err != nil {
		return err
	}
	o := nn.On(ctx, w.Stream())
	for _, a := range todo {
		if ctx.Err() != nil {
			break
		}
		o.Fill(a.to.tensor, string(a.from.DType), int64(len(a.from.Bytes())), a.from.Floats)
	}
	// The device reads from the mapped files until here.
	err = o.Sync()
	if e, ok := errors.AsType[*safetensors.Error](err); ok {
		return e
	}
	return errors.Join(ctx.Err(), err)
}

// assignment is a tensor and where it goes.
type assignment struct {
	from safetensors.Tensor
	to   *Param
}

// match finds the parameter of each tensor of the checkpoint, by its name, and
// compares their shapes.
func (w *weights) match(ck *safetensors.Checkpoint, dir string, loose bool) ([]assignment, error) {
	byName := map[string]*Param{}
	for _, p := range w.list {
		byName[p.Name] = p
		if _, both := ck.Tensor(p.Name); p.also != "" && !both {
			byName[p.also] = p
		}
	}
	var todo []assignment
	done := map[*Param]bool{}
	for _, t := range ck.Tensors() {
		p := byName[t.Name]
		switch {
		case p == nil && (loose || w.unused != nil && w.unused(t.Name)):
			continue
		case p == nil:
			return nil, t.Fault(fmt.Errorf("%s has no such weight", w.class))
		case !slices.Equal(t.Shape, p.Shape):
			return nil, t.Fault(fmt.Errorf("shape %v, but %s with this configuration has %v", t.Shape, w.class, p.Shape))
		case !t.DType.Float():
			return nil, t.Fault(fmt.Errorf("element type %s is not supported; convert it to F32, F16 or BF16", t.DType))
		}
		done[p] = true
		todo = append(todo, assignment{t, p})
	}
	for _, p := range w.list {
		if !done[p] {
			return nil, &safetensors.Error{File: fileNames(ck, dir), Tensor: p.Name, Err: fmt.Errorf("it is missing; %s needs it", w.class)}
		}
	}
	return todo, nil
}

// fileNames names the file that a tensor should be in.
func fileNames(ck *safetensors.Checkpoint, dir string) string {
	if files := ck.Files(); len(files) == 1 {
		return files[0].Name
	}
	return dir
}
