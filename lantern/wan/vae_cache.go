package wan

import "reel/lantern/nn"

// VAECache is what a clip that is decoded or encoded in pieces leaves behind for
// its next piece: the last frames that each causal convolution saw. It serves
// one clip at a time, on the stream of the Ops that made it.
type VAECache struct {
	of      *stack
	slots   []slot
	started bool // a piece went through
	own     *nn.Ops
}

// slot is the memory of one convolution: up to two frames.
type slot struct {
	room nn.Tensor // [1, C, n, H, W]; none before the first use
}

// NewDecodeCache makes a cache for Decode, to be closed.
func (m *VAE) NewDecodeCache(o *nn.Ops) *VAECache {
	return &VAECache{of: &m.decoder, slots: make([]slot, m.decoder.slots), own: o.Scope()}
}

// NewEncodeCache makes a cache for Encode, to be closed.
func (m *VAE) NewEncodeCache(o *nn.Ops) *VAECache {
	return &VAECache{of: &m.encoder, slots: make([]slot, m.encoder.slots), own: o.Scope()}
}

// Started says whether a piece of a clip went through: if not, the next one is
// the beginning.
func (c *VAECache) Started() bool { return c.started }

// Reset forgets the clip, so that another can begin.
func (c *VAECache) Reset() {
	for i := range c.slots {
		c.own.Free(c.slots[i].room)
		c.slots[i] = slot{}
	}
	c.started = false
}

// Close frees the memory. Calling it twice is fine.
func (c *VAECache) Close() {
	c.own.Close()
	clear(c.slots)
}

// frames gives what slot i holds; none when that is nothing.
func (c *VAECache) frames(i int) nn.Tensor { return c.slots[i].room }

// keep puts the last frames of x, n at most, into slot i.
func (c *VAECache) keep(o *nn.Ops, i int, x nn.Tensor, n int) {
	t := x.Dim(2)
	n = min(n, t)
	if n == 0 || o.Err() != nil {
		return
	}
	s := o.Scope()
	defer s.Close()
	last := s.Slice(x, 2, t-n, t)
	if room := c.slots[i].room; !room.HasDims(last.Dims()...) {
		c.own.Free(room)
		c.slots[i].room = c.own.Empty(last.Dims()...)
	}
	s.CopyInto(c.slots[i].room, last)
}
