"""The transformer: its size, and a forward pass for training over WanTransformer3DModel's own weights.

The class takes one caption a clip and either one time step a clip or one a token.
Training with clean blocks in front of noisy ones needs a time step a latent frame,
a mask over blocks, positions that repeat, and two captions in one clip. forward()
does the same sums with these in the right shape; check() compares it to the class.
"""

import torch
import torch.nn.functional as F
from diffusers import WanTransformer3DModel

CONFIG = dict(patch_size=(1, 2, 2), num_attention_heads=5, attention_head_dim=32, in_channels=16, out_channels=16,
              text_dim=64, freq_dim=64, ffn_dim=448, num_layers=4, cross_attn_norm=True,
              qk_norm="rms_norm_across_heads", eps=1e-6, rope_max_seq_len=1024)


def positions(model, frames, height, width):
    """Cosines and sines of the rotary embedding for tokens of the given latent frame numbers."""
    r = model.rope
    n = torch.as_tensor(frames)
    sizes = [r.t_dim, r.h_dim, r.w_dim]

    def grid(table):
        t, h, w = table[:, ::2].split([s // 2 for s in sizes], 1)
        shape = (len(n), height // 2, width // 2)
        parts = [t[n].view(-1, 1, 1, sizes[0] // 2), h[:shape[1]].view(1, -1, 1, sizes[1] // 2), w[:shape[2]].view(1, 1, -1, sizes[2] // 2)]
        return torch.cat([p.expand(*shape, -1) for p in parts], -1).flatten(0, 2)

    return grid(r.freqs_cos).float(), grid(r.freqs_sin).float()


def rotate(x, cos, sin):
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


def attend(a, x, other, rope, mask, past=None, keep=None):
    """One WanAttention; past holds earlier keys and values to put in front, keep receives the ones made here."""
    q = a.norm_q(a.to_q(x)).unflatten(2, (a.heads, -1)).transpose(1, 2)
    k = a.norm_k(a.to_k(other)).unflatten(2, (a.heads, -1)).transpose(1, 2)
    v = a.to_v(other).unflatten(2, (a.heads, -1)).transpose(1, 2)
    if rope is not None:
        q, k = rotate(q, *rope), rotate(k, *rope)
    if keep is not None:
        keep.append((k, v))
    if past is not None:
        k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
    x = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return a.to_out[0](x.transpose(1, 2).flatten(2))


def forward(m, x, t, text, rope, text_mask, mask=None, past=None, keep=None):
    """The velocity for latents x (batch, channels, frames, height, width).

    t (batch, frames) is the time step of each latent frame, 0 to 1000; text the caption
    embeddings; text_mask what to add to the scores against them, broadcast to (batch,
    heads, tokens, text); mask the same between tokens; past and keep are lists with a
    pair of keys and values a layer, for streaming.
    """
    b, c, f, hh, ww = x.shape
    ce, d = m.condition_embedder, m.patch_embedding.out_channels
    h = m.patch_embedding(x).flatten(3).permute(0, 2, 3, 1)  # batch, frames, tokens of a frame, channels
    n = h.shape[2]
    temb = ce.time_embedder(ce.timesteps_proj(t.flatten()))
    mods = ce.time_proj(F.silu(temb)).view(b, f, 1, 6, d)
    text = ce.text_embedder(text)

    def norm(h, scale, shift):
        return (F.layer_norm(h, (d,), eps=m.config.eps) * (1 + scale) + shift).flatten(1, 2)

    for i, block in enumerate(m.blocks):
        s1, g1, o1, s2, g2, o2 = (block.scale_shift_table.view(1, 1, 1, 6, d) + mods).unbind(3)
        y = norm(h, g1, s1)
        y = attend(block.attn1, y, y, rope, mask, past and past[i], keep)
        h = h + y.view(b, f, n, d) * o1
        y = block.norm2(h).flatten(1, 2)
        h = h + attend(block.attn2, y, text, None, text_mask).view(b, f, n, d)
        h = h + block.ffn(norm(h, g2, s2)).view(b, f, n, d) * o2
    shift, scale = (m.scale_shift_table.view(1, 1, 1, 2, d) + temb.view(b, f, 1, 1, d)).unbind(3)
    h = m.proj_out(norm(h, scale, shift)).view(b, f, hh // 2, ww // 2, 2, 2, -1)
    return h.permute(0, 6, 1, 2, 4, 3, 5).reshape(b, -1, f, hh, ww)


def build():
    return WanTransformer3DModel(**CONFIG)


@torch.no_grad()
def check(m):
    """Largest difference between this pass and the class's own, with a time step a token."""
    x, text, t = torch.randn(2, 16, 3, 8, 8), torch.randn(2, 9, 64), torch.tensor([[0.0, 500, 900], [10, 0, 1000]])
    want = m(hidden_states=x, timestep=t.repeat_interleave(16, 1), encoder_hidden_states=text).sample
    got = forward(m, x, t, text, positions(m, range(3), 8, 8), None)
    return (want - got).abs().max().item()
