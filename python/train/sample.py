"""Make clips from an exported folder: with Diffusers' own pipeline, in streams, and in two stages.

    python sample.py --model ../../lantern/checkpoint/model --prompt "a red circle moving right on a blue background" --out clip.gif
"""

import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from diffusers import AutoencoderKLWan, FlowMatchEulerDiscreteScheduler, WanPipeline, WanTransformer3DModel
from PIL import Image
from safetensors.torch import load_file
from transformers import PreTrainedTokenizerFast, UMT5EncoderModel

import denoiser

STEPS, GUIDANCE, LENGTH = 20, 3.0, 32  # the defaults that evaluate.py reports on; LENGTH is the padded caption's


def load(folder):
    """The pipeline in float32. WanPipeline.from_pretrained does the same but insists on the package accelerate."""
    folder = Path(folder)

    def model(kind, name):
        net = kind.from_config(kind.load_config(folder / name))
        net.load_state_dict(load_file(folder / name / "diffusion_pytorch_model.safetensors"))
        return net.float().eval()

    pipe = WanPipeline(
        tokenizer=PreTrainedTokenizerFast.from_pretrained(folder / "tokenizer"),
        text_encoder=UMT5EncoderModel.from_pretrained(folder / "text_encoder", dtype=torch.float32).eval(),
        vae=model(AutoencoderKLWan, "vae"), transformer=model(WanTransformer3DModel, "transformer"),
        scheduler=FlowMatchEulerDiscreteScheduler.from_pretrained(folder / "scheduler"))
    pipe.set_progress_bar_config(disable=True)
    return pipe


def text_to_video(pipe, prompts, side=64, frames=17, steps=STEPS, guidance=GUIDANCE, seed=0, **more):
    """Clips (prompts, frames, height, width, 3) in 0..255 by Diffusers' WanPipeline."""
    generators = [torch.Generator().manual_seed(seed + i) for i in range(len(prompts))]
    out = pipe(prompt=list(prompts), height=side, width=side, num_frames=frames, num_inference_steps=steps, guidance_scale=guidance,
               max_sequence_length=LENGTH, generator=generators, output_type="np", **more).frames
    return (np.asarray(out) * 255).round().astype(np.uint8)


def scale(pipe):
    c = pipe.vae.config
    return (torch.tensor(v).view(1, -1, 1, 1, 1) for v in (c.latents_mean, c.latents_std))


@torch.no_grad()
def encode(pipe, video):
    """Normalised latents of clips (batch, 3, frames, height, width) in [-1, 1]."""
    mean, std = scale(pipe)
    return (pipe.vae.encode(video).latent_dist.mode() - mean) / std


@torch.no_grad()
def decode(pipe, z):
    """Clips (batch, frames, height, width, 3) in 0..255 of normalised latents."""
    mean, std = scale(pipe)
    video = pipe.vae.decode(z * std + mean).sample
    return ((video / 2 + 0.5) * 255).round().byte().permute(0, 2, 3, 4, 1).numpy()


@torch.no_grad()
def stream(pipe, scripts, sizes, side=64, steps=STEPS, guidance=GUIDANCE, window=6, seed=0, first=None):
    """Latents made block after block, each seeing the cached keys and values of the clean frames before it.

    scripts holds a list of prompts a clip, one prompt a block; sizes the latent frames of each block;
    window how many latent frames are kept; first latents to start from (an encoded picture). Both
    branches of the guidance read one cache, which is filled with the block's own prompt at time 0.
    """
    gen, n, m = torch.Generator().manual_seed(seed), len(scripts), pipe.transformer
    none = pipe.encode_prompt("", max_sequence_length=LENGTH, do_classifier_free_guidance=False)[0].expand(n, -1, -1)
    cache, made = [], []  # cache: a list of layers, each (keys, values) of the frames in the window
    tokens = (side // 16) ** 2
    at = 0

    def finalize(z, words):
        nonlocal cache
        keep = []
        rope = denoiser.positions(m, range(at, at + z.shape[2]), *z.shape[3:])
        denoiser.forward(m, z, torch.zeros(n, z.shape[2]), words, rope, None, past=cache or None, keep=keep)
        if cache:
            keep = [tuple(torch.cat([old, new], 2) for old, new in zip(a, b)) for a, b in zip(cache, keep)]
        cache = [tuple(x[:, :, -window * tokens:] for x in layer) for layer in keep]

    if first is not None:
        finalize(first, pipe.encode_prompt([s[0] for s in scripts], max_sequence_length=LENGTH, do_classifier_free_guidance=False)[0])
        made, at = [first], first.shape[2]
    for i, size in enumerate(sizes):
        words = pipe.encode_prompt([s[i] for s in scripts], max_sequence_length=LENGTH, do_classifier_free_guidance=False)[0]
        z = torch.randn((n, 16, size, side // 8, side // 8), generator=gen)
        rope = denoiser.positions(m, range(at, at + size), side // 8, side // 8)
        pipe.scheduler.set_timesteps(steps)
        for t in pipe.scheduler.timesteps:
            times = t.expand(n, size)
            v, u = (denoiser.forward(m, z, times, w, rope, None, past=cache or None) for w in (words, none))
            z = pipe.scheduler.step(u + guidance * (v - u), t, z, return_dict=False)[0]
        finalize(z, words)
        made.append(z)
        at += size
    return torch.cat(made, 2)


@torch.no_grad()
def refine(pipe, clips, prompts, side=128, strength=0.5, steps=STEPS, guidance=GUIDANCE, seed=0):
    """The second stage: enlarge clips (0..255), add noise up to strength, and denoise the rest of the way."""
    gen = torch.Generator().manual_seed(seed)
    video = torch.from_numpy(clips).float().permute(0, 4, 1, 2, 3) / 127.5 - 1
    b, c, t, h, w = video.shape
    video = F.interpolate(video.transpose(1, 2).flatten(0, 1), (side, side), mode="bilinear").view(b, t, c, side, side).transpose(1, 2)
    z = encode(pipe, video)
    words = pipe.encode_prompt(list(prompts), max_sequence_length=LENGTH, do_classifier_free_guidance=False)[0]
    none = pipe.encode_prompt("", max_sequence_length=LENGTH, do_classifier_free_guidance=False)[0].expand(b, -1, -1)
    pipe.scheduler.set_timesteps(steps)
    s = pipe.scheduler
    begin = int((s.sigmas > strength).sum())
    z = (1 - s.sigmas[begin]) * z + s.sigmas[begin] * torch.randn(z.shape, generator=gen)
    for t, now, then in zip(s.timesteps[begin:], s.sigmas[begin:], s.sigmas[begin + 1:]):
        v, u = (pipe.transformer(hidden_states=z, timestep=t.expand(b), encoder_hidden_states=x).sample for x in (words, none))
        z = z + (then - now) * (u + guidance * (v - u))
    return decode(pipe, z)


def save(clip, path, ms=60):
    pictures = [Image.fromarray(f).resize((f.shape[1] * 3, f.shape[0] * 3), Image.NEAREST) for f in clip]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=ms, loop=0)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--model", type=Path, required=True)
    args.add_argument("--prompt", default="a red circle moving right on a blue background")
    args.add_argument("--out", type=Path, required=True)
    args.add_argument("--frames", type=int, default=17)
    args.add_argument("--side", type=int, default=64)
    args.add_argument("--seed", type=int, default=0)
    a = args.parse_args()
    save(text_to_video(load(a.model), [a.prompt], a.side, a.frames, seed=a.seed)[0], a.out)


if __name__ == "__main__":
    main()
