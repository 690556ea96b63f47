// Package nn has tensors and the operators of diffusion models, as kernels that run
// on the streams of package device. It has no gradients, no graph, no model and no
// file format.
//
//	d := device.New(device.Options{})
//	o := nn.On(ctx, d.NewStream("compute"))
//	defer o.Close()
//	x := o.FromHost(values, 1, 16, 64)
//	y := o.Linear(o.RMSNorm(x, g, 1e-6), w, b)
//	got, err := o.ToHost(y)
//
// # Conventions
//
//   - Values are float32. Tensors are contiguous and row-major, the last dimension
//     fastest; images are [N, C, H, W], clips [N, C, T, H, W], tokens [B, T, C], heads
//     [B, T, H, D] (no permutation before Attention or Rotate).
//   - Weights lie as PyTorch's state dictionaries have them: Linear [out, in],
//     convolutions [out, in, kt, kh, kw], embeddings [V, C].
//   - Every operator launches on the stream of its Ops and returns before it is done.
//     What it returns can be given to the next one at once; the host sees values by
//     ToHost, or by CopyToHost and Sync.
//   - A Tensor is a value. The zero Tensor is none: optional weights and biases are
//     left out with it.
//   - Errors stay: after the first, operators do nothing and return none. Err, Sync
//     and ToHost return it; the device's faults come with Sync and ToHost. Nothing
//     panics on shapes that do not fit.
//   - Tensors belong to the Ops that made them and are freed by its Close, or by Free.
//     Scope makes inner Ops for intermediates; Keep hands a result to the outer ones.
//     Freeing never waits: what was launched still has the memory. Reshape and View
//     share memory with their input and end with it.
//   - Weights are made with Ops of their own that live as long as the model.
//   - Host data given to FromHost and FromBytes must stay as it is until the stream has
//     copied it (Sync); the data of constants and files does anyway.
//   - An Ops is used by one goroutine. Tensors of one stream may be used on another
//     when that waits for an event (device.Stream.Wait) and UsedBy was called.
//
// # Operators
//
//	host         FromHost FromBytes(F32 F16 BF16) Fill CopyToHost ToHost Copy CopyInto Full Zeros Empty
//	products     Linear MatMul MatMulT Attention(Scale, Bias) Conv2d Conv3d(Stride, Pad)
//	norms        LayerNorm RMSNorm ChannelRMSNorm (Wan's RMS_norm) GroupNorm
//	activations  SiLU GELU (tanh) GELUExact ReLU Softmax
//	elementwise  Add Sub Mul AddScaled Affine Clamp Modulate (x*(1+s)+b) Gate (x+y*g), broadcast
//	layout       Reshape View Slice Split Concat Permute Pad UpsampleNearest Patchify Unpatchify
//	positions    Embedding TimeEmbedding Rope Rotate
package nn
