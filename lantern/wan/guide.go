package wan

import "reel/lantern/nn"

// Guide is classifier-free guidance: it goes scale times as far from what the
// model predicts without the prompt as with it.
func Guide(o *nn.Ops, with, without nn.Tensor, scale float32) nn.Tensor {
	s := o.Scope()
	defer s.Close()
	return s.Keep(s.AddScaled(without, s.Sub(with, without), scale))
}

// Step takes latents from before step i to after it: x + Delta(i)*flow.
func (s Schedule) Step(o *nn.Ops, i int, x, flow nn.Tensor) nn.Tensor {
	return o.AddScaled(x, flow, s.Delta(i))
}
