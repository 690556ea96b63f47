"""Encode and decode whole clips with AutoencoderKLWan's own modules, without its feature cache.

The class runs chunk by chunk and keeps the last frames of each convolution. That
is slow to train through. All its convolutions are causal, so running each layer
over all frames gives the same numbers; only the two time resamplers, which treat
the first frame apart, need their own code. check() compares both ways.
"""

import torch


def resample(layer, x):
    """One WanResample over a whole clip (batch, channels, frames, height, width)."""
    if layer.mode == "upsample3d" and x.shape[2] > 1:
        # The first frame is kept; each later one becomes two, seeing only later ones.
        rest = layer.time_conv(x[:, :, 1:])
        b, c2, t, h, w = rest.shape
        rest = rest.view(b, 2, c2 // 2, t, h, w).permute(0, 2, 3, 1, 4, 5).reshape(b, c2 // 2, 2 * t, h, w)
        x = torch.cat([x[:, :, :1], rest], 2)
    b, c, t, h, w = x.shape
    x = layer.resample(x.transpose(1, 2).reshape(b * t, c, h, w))
    x = x.view(b, t, *x.shape[1:]).transpose(1, 2)
    if layer.mode == "downsample3d" and t > 1:
        x = torch.cat([x[:, :, :1], layer.time_conv(x)], 2)
    return x


def run(layers, x):
    for layer in layers:
        x = resample(layer, x) if type(layer).__name__ == "WanResample" else layer(x)
    return x


def encode(vae, x):
    """Mean and log variance of the latents of clips with 4n+1 frames in [-1, 1]."""
    e = vae.encoder
    x = e.mid_block(run(e.down_blocks, e.conv_in(x)))
    x = e.conv_out(e.nonlinearity(e.norm_out(x)))
    mean, logvar = vae.quant_conv(x).chunk(2, 1)
    return mean, logvar.clamp(-30, 20)


def decode(vae, z):
    """Clips of 4n+1 frames from latents of n+1 frames; not clamped."""
    d = vae.decoder
    x = d.mid_block(d.conv_in(vae.post_quant_conv(z)))
    for block in d.up_blocks:
        x = run(block.resnets, x)
        if block.upsamplers is not None:
            x = resample(block.upsamplers[0], x)
    return d.conv_out(d.nonlinearity(d.norm_out(x)))


@torch.no_grad()
def check(vae):
    """Largest differences between this code and the class's own chunked code (encode, decode)."""
    x = torch.rand(1, 3, 13, 32, 32) * 2 - 1
    mean = encode(vae, x)[0]
    want = vae.encode(x).latent_dist.mode()
    z = torch.randn_like(mean)
    got = decode(vae, z).clamp(-1, 1)
    return (mean - want).abs().max().item(), (got - vae.decode(z).sample).abs().max().item()
