"""Train Lantern's small causal video VAE (Diffusers' AutoencoderKLWan) on drawn clips.

    python train_vae.py --out /tmp/train/vae --minutes 35

Writes vae.pt (averaged weights) every few minutes.
The run ends by the clock; the learning rate follows the share of time used.
"""

import argparse
import math
import random
import time
from pathlib import Path

import torch
from diffusers import AutoencoderKLWan

import clips
import wholeclip
from team import launch

CONFIG = dict(base_dim=8, z_dim=16, dim_mult=[1, 2, 4, 4], num_res_blocks=1, attn_scales=[],
              temperal_downsample=[False, True, True])
KL, NOISE = 2e-5, 0.05  # weight of the KL term; extra noise on the latents, as a share of their spread
PICTURES = 0.35  # share of the time spent on single pictures


@torch.no_grad()
def still_start(vae):
    """Start as a picture VAE that passes colours through.

    Each 3-D convolution looks at its newest frame only, the time resamplers copy, the
    downsamplers average, and no bias hides the signal. The posterior starts narrow, or
    its noise would drown the latents for the first hundreds of steps.
    """
    for m in vae.modules():
        if isinstance(m, (torch.nn.Conv3d, torch.nn.Conv2d)):
            newest = m.weight[:, :, -1] if m.weight.dim() == 5 else m.weight
            torch.nn.init.kaiming_uniform_(newest, nonlinearity="linear")
            if m.weight.dim() == 5 and m.kernel_size[0] == 3:
                m.weight[:, :, :2] = 0
            m.bias.zero_()
    for m in vae.modules():
        if type(m).__name__ == "WanResidualBlock":
            m.conv2.weight.mul_(0.3)
        mode = getattr(m, "mode", "")
        if mode.startswith("downsample"):
            w = m.resample[1].weight
            w.mul_(0.3)
            w[:, :, :2, :2] += torch.eye(len(w)).view(len(w), len(w), 1, 1) / 4
        if mode.endswith("sample3d"):
            w = m.time_conv.weight
            w.mul_(0.1)
            w[:, :, -1, 0, 0] += torch.eye(w.shape[1]).repeat(w.shape[0] // w.shape[1], 1)
    vae.quant_conv.weight[vae.config.z_dim:] = 0
    vae.quant_conv.bias[vae.config.z_dim:] = -6


def batch(rng, used):
    """A batch of clips: pictures at first, then mostly crops of nine frames, some longer and some whole."""
    kind = rng.random()
    if used < PICTURES:
        return torch.stack([clips.draw_any(1, 32, rng) for _ in range(12)])
    if kind < 0.3:  # the scenes of the captions, whole
        return torch.stack([clips.draw_scene(s, [s.direction] * 3, rng) for s in rng.choices(list(clips.scenes()), k=2)])
    size, frames, side = (5, 9, 32) if kind < 0.85 else (3, 17, 32) if kind < 0.95 else (8, 1, 64)
    return torch.stack([clips.draw_any(frames, side, rng) for _ in range(size)])


def psnr(a, b):
    return -10 * math.log10(((a - b) / 2).pow(2).mean().item())


@torch.no_grad()
def report(vae, counts=((1.0, 5), (2.0, 1)), seed=99):
    """PSNR of scenes at 64 and 128 pixels through the class's own encode and decode."""
    rng = random.Random(seed)
    pool, out = list(clips.scenes()), []
    for scale, count in counts:
        scores = []
        for _ in range(count):
            s = rng.choice(pool)
            x = clips.draw_scene(s, [s.direction] * 5, rng, scale)[None]
            z = vae.encode(x).latent_dist.mode()
            scores.append(psnr(vae.decode(z).sample, x))
        out.append(sum(scores) / count)
    return out


def train(team, a):
    torch.manual_seed(a.seed)
    vae = AutoencoderKLWan(**CONFIG, latents_mean=[0.0] * 16, latents_std=[1.0] * 16)
    still_start(vae)
    if a.resume:
        vae.load_state_dict(torch.load(a.resume, weights_only=True)["state"])
    if team.rank == 0:
        print(f"{sum(p.numel() for p in vae.parameters()):,} weights; whole clip against chunks: {wholeclip.check(vae)}", flush=True)
    torch.manual_seed(a.seed * 1000 + team.rank)
    rng = random.Random(a.seed * 1000 + team.rank)
    part = torch.nn.ModuleList([vae.decoder, vae.post_quant_conv]) if a.decoder else vae
    params = list(part.parameters())
    opt = torch.optim.AdamW(params, lr=a.lr, betas=(0.9, 0.98), weight_decay=1e-4)
    mean = torch.optim.swa_utils.AveragedModel(vae, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99))
    shown = saved = team.start
    step, seen, used = 0, 0.0, 0.0
    while used < 1:
        for g in opt.param_groups:
            g["lr"] = a.lr * min(1, (step + 1) / 50) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * used)))
        x = batch(rng, 1 if a.resume else used)
        with torch.set_grad_enabled(not a.decoder):
            mu, logvar = wholeclip.encode(vae, x)
        z = mu + torch.randn_like(mu) * ((0.5 * logvar).exp() + NOISE * mu.detach().std())
        diff = wholeclip.decode(vae, z) - x
        kl = 0.5 * (mu.pow(2) + logvar.exp() - 1 - logvar).mean()
        loss = diff.abs().mean() + 2 * diff.pow(2).mean() + KL * kl
        opt.zero_grad()
        loss.backward()
        used = team.average(params)
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
        mean.update_parameters(vae)
        step, seen = step + 1, 0.98 * seen + 0.02 * diff.pow(2).mean().item()
        if team.rank == 0 and time.time() - shown > 15:
            shown = time.time()
            print(f"{(shown - team.start) / 60:5.1f} min  step {step}  batch PSNR {-10 * math.log10(seen / 4 / (1 - 0.98 ** step)):.2f}  kl {kl.item():.2f}", flush=True)
        if team.rank == 0 and time.time() - saved > 150:
            saved = time.time()
            save(mean.module, a.out)
    if team.rank == 0:
        save(mean.module, a.out)


def save(vae, out):
    vae.eval()
    scores = report(vae)
    torch.save(dict(state=vae.state_dict(), config=CONFIG), out / "vae.new")
    (out / "vae.new").rename(out / "vae.pt")
    print(f"      saved: PSNR at 64 {scores[0]:.2f} dB, at 128 {scores[1]:.2f} dB", flush=True)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--out", type=Path, required=True)
    args.add_argument("--resume", type=Path, help="go on from this vae.pt, with clips only")
    args.add_argument("--decoder", action="store_true", help="keep the encoder, and so the latents, as they are")
    args.add_argument("--minutes", type=float, default=35)
    args.add_argument("--lr", type=float, default=2e-3)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--members", type=int, default=2, help="processes of one thread each")
    a = args.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    launch(train, a, a.members, a.minutes * 60)


if __name__ == "__main__":
    main()
