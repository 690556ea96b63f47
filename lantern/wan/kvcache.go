package wan

import (
	"fmt"

	"reel/lantern/nn"
)

// KVCache holds keys and values of clean blocks of a clip, for each layer, so
// that later blocks attend to them without computing them again. It serves one
// clip at a time, on the stream of the Ops that made it.
type KVCache struct {
	k, v   []nn.Tensor // [1, room, Heads, HeadDim] each
	room   int         // tokens
	per    int         // tokens of a frame
	tokens int
	frames int // of patches, in the cache
	base   int // frames that were dropped before them
	own    *nn.Ops
}

// NewCache makes a cache with room for the tokens of so many latent frames of
// height h and width w. It is to be closed.
func (m *Transformer) NewCache(o *nn.Ops, frames, h, w int) *KVCache {
	p := m.Config.PatchSize
	c := &KVCache{own: o.Scope()}
	if frames < 1 || h < 1 || w < 1 || frames%p[0] != 0 || h%p[1] != 0 || w%p[2] != 0 {
		o.Fail(fmt.Errorf("wan: a cache for %d frames of %dx%d latents in patches of %v", frames, w, h, p))
		return c
	}
	c.per = h / p[1] * (w / p[2])
	c.room = frames / p[0] * c.per
	for range m.blocks {
		c.k = append(c.k, c.own.Empty(1, c.room, m.Config.Heads, m.Config.HeadDim))
		c.v = append(c.v, c.own.Empty(1, c.room, m.Config.Heads, m.Config.HeadDim))
	}
	return c
}

// Frames counts the frames (of patches) that were committed, dropped ones too:
// the next block starts there.
func (c *KVCache) Frames() int { return c.base + c.frames }

// Held counts the frames that later blocks still attend to.
func (c *KVCache) Held() int { return c.frames }

// Room counts the frames that can be committed before Trim is needed.
func (c *KVCache) Room() int { return (c.room - c.tokens) / max(c.per, 1) }

// Reset empties the cache for another clip.
func (c *KVCache) Reset() { c.tokens, c.frames, c.base = 0, 0, 0 }

// Trim drops the oldest frames until no more than keep are held. Those that
// stay keep their place in time.
func (c *KVCache) Trim(o *nn.Ops, keep int) {
	drop := c.frames - max(keep, 0)
	if drop <= 0 || o.Err() != nil {
		return
	}
	s := o.Scope()
	defer s.Close()
	for _, list := range [][]nn.Tensor{c.k, c.v} {
		for _, t := range list {
			if drop < c.frames {
				rest := s.Copy(s.View(t, 1, drop*c.per, c.tokens))
				s.CopyInto(s.View(t, 1, 0, c.tokens-drop*c.per), rest)
				s.Free(rest)
			}
		}
	}
	c.tokens, c.frames, c.base = c.tokens-drop*c.per, c.frames-drop, c.base+drop
}

// Close frees the memory. Calling it twice is fine.
func (c *KVCache) Close() { c.own.Close() }

// extend puts keys and values of a block behind the clean ones, and gives all of
// them. Into the cache's own memory where there is room, else in a copy; what is
// not committed is written over by the next block.
func (c *KVCache) extend(o *nn.Ops, layer int, k, v nn.Tensor, commit bool) (allK, allV nn.Tensor) {
	if c.tokens == 0 && !commit {
		return k, v
	}
	n := k.Dim(1)
	if c.tokens+n > c.room {
		return o.Concat(1, o.View(c.k[layer], 1, 0, c.tokens), k), o.Concat(1, o.View(c.v[layer], 1, 0, c.tokens), v)
	}
	o.CopyInto(o.View(c.k[layer], 1, c.tokens, c.tokens+n), k)
	o.CopyInto(o.View(c.v[layer], 1, c.tokens, c.tokens+n), v)
	return o.View(c.k[layer], 1, 0, c.tokens+n), o.View(c.v[layer], 1, 0, c.tokens+n)
}
