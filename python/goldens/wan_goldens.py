#!/usr/bin/env python3
"""Writes what Diffusers' and transformers' own classes compute in float32, for the tests of lantern/wan.

    wan_goldens.py [--model FOLDER] [--seed N] [--wide] [OUT]
    wan_goldens.py --vae FOLDER OUT

OUT (default: lantern/wan/testdata) gets goldens.json, which says what there is, and goldens.safetensors. Without --model
a tiny pipeline with random weights is made in OUT/model first, its components in three element types and two of them in
shards; --wide makes it with other, larger sizes. With --vae the folder holds a VAE alone, and so do the goldens. The causal path is computed as one masked forward pass over all blocks,
with an attention processor of this file, so it owes nothing to a cache.
"""

import argparse
import json
import math
import os
import pathlib

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from diffusers import AutoencoderKLWan, FlowMatchEulerDiscreteScheduler, WanPipeline, WanTransformer3DModel
from diffusers.utils import logging as diffusers_logging
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import AutoTokenizer, PreTrainedTokenizerFast, UMT5Config, UMT5EncoderModel

WORDS = "a the red blue green circle square triangle moving right left up down on background , .".split()
PROMPTS = ["a red circle moving right on a blue background", "", "A green SQUARE moving up, twice &amp; again"]
GUIDANCE = 3.0
STEPS = 4
TEXT = 14  # tokens that the transformer attends to
SCHEDULES = [(1.0, 1), (1.0, 4), (3.0, 1), (3.0, 2), (3.0, 7), (5.0, 50), (7.25, 200), (0.5, 30)]

TINY = dict(
    text=dict(vocab_size=24, d_model=16, d_kv=6, num_heads=3, d_ff=20, num_layers=2, relative_attention_num_buckets=32, relative_attention_max_distance=128),
    dit=dict(num_attention_heads=2, attention_head_dim=14, in_channels=4, out_channels=4, text_dim=16, freq_dim=16, ffn_dim=36, num_layers=2, rope_max_seq_len=64),
    vae=dict(base_dim=3, z_dim=4, dim_mult=[1, 2, 2, 2], num_res_blocks=1, temperal_downsample=[False, True, True]),
    shift=3.0, dtypes=dict(text_encoder=torch.float32, transformer=torch.bfloat16, vae=torch.float16), shard="24KB",
)
WIDE = dict(
    text=dict(vocab_size=40, d_model=40, d_kv=8, num_heads=5, d_ff=72, num_layers=3, relative_attention_num_buckets=16, relative_attention_max_distance=64),
    dit=dict(num_attention_heads=3, attention_head_dim=32, in_channels=6, out_channels=6, text_dim=40, freq_dim=64, ffn_dim=200, num_layers=3, rope_max_seq_len=64, cross_attn_norm=False),
    vae=dict(base_dim=8, decoder_base_dim=12, z_dim=6, dim_mult=[1, 2, 4, 4], num_res_blocks=2, temperal_downsample=[False, True, True]),
    shift=5.0, dtypes=dict(text_encoder=torch.bfloat16, transformer=torch.float32, vae=torch.float32), shard="200KB",
)


def tokenizer():
    vocab = {w: i for i, w in enumerate(["<pad>", "</s>", "<unk>"] + WORDS)}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=512)


def fill(module, gen):
    """Random weights under which every parameter matters and nothing blows up."""
    with torch.no_grad():
        for name, p in module.named_parameters():
            noise = torch.randn(p.shape, generator=gen)
            if "norm" in name and not name.endswith("bias"):
                p.copy_(1 + 0.2 * noise)
            elif name.endswith("bias"):
                p.copy_(0.2 * noise)
            elif "table" in name:
                p.copy_(0.4 * noise)
            elif p.ndim == 1 or "embed_tokens" in name or "shared" in name or "relative_attention_bias" in name:
                p.copy_(noise)
            else:
                p.copy_(noise * p[0].numel() ** -0.5)


def make_model(folder, sizes, seed):
    gen = torch.Generator().manual_seed(seed)
    z = sizes["vae"]["z_dim"]
    mean = (torch.randn(z, generator=gen) * 0.5).tolist()
    std = (0.5 + 2 * torch.rand(z, generator=gen)).tolist()
    text = UMT5EncoderModel(UMT5Config(is_encoder_decoder=False, use_cache=False, **sizes["text"]))
    dit = WanTransformer3DModel(**{"patch_size": (1, 2, 2), **sizes["dit"]})
    vae = AutoencoderKLWan(latents_mean=mean, latents_std=std, **sizes["vae"])
    for m in (text, dit, vae):
        fill(m, gen)
    tok = tokenizer()
    for name, m in (("text_encoder", text), ("transformer", dit), ("vae", vae)):
        m.to(sizes["dtypes"][name])
    pipe = WanPipeline(tokenizer=tok, text_encoder=text, vae=vae, transformer=dit, scheduler=FlowMatchEulerDiscreteScheduler(shift=sizes["shift"]))
    pipe.save_pretrained(folder, max_shard_size=sizes["shard"])


def weights(folder):
    state = {}
    for file in sorted(pathlib.Path(folder).glob("*.safetensors")):
        state.update(load_file(file))
    return {k: v.float() for k, v in state.items()}


def load_part(cls, folder):
    part = cls.from_config(cls.load_config(folder))
    part.load_state_dict(weights(folder), strict=True)
    return part.float().eval()


def load_model(folder):
    """WanPipeline.from_pretrained in float32, without the package accelerate, which it asks for."""
    folder = pathlib.Path(folder)
    parts = {"transformer": load_part(WanTransformer3DModel, folder / "transformer"), "vae": load_part(AutoencoderKLWan, folder / "vae")}
    text = UMT5EncoderModel.from_pretrained(folder / "text_encoder", dtype=torch.float32)
    pipe = WanPipeline(
        tokenizer=AutoTokenizer.from_pretrained(folder / "tokenizer"), text_encoder=text,
        scheduler=FlowMatchEulerDiscreteScheduler.from_pretrained(folder / "scheduler"), **parts,
    )
    text.float().eval()
    return pipe


class Goldens:
    """Collects tensors by name, and the rest as JSON."""

    def __init__(self, vae, pipe, seed):
        self.vae_model, self.pipe, self.gen = vae, pipe, torch.Generator().manual_seed(seed + 1)
        self.tensors, self.doc = {}, {}
        self.down = 2 ** (len(vae.config.dim_mult) - 1)
        if pipe is not None:
            self.ch, self.patch = pipe.transformer.config.in_channels, pipe.transformer.config.patch_size

    def randn(self, *shape):
        return torch.randn(shape, generator=self.gen)

    def put(self, name, t):
        assert torch.isfinite(t).all(), name
        self.tensors[name] = t.detach().float().contiguous().clone()
        return t

    def text(self):
        enc, vocab = self.pipe.text_encoder, self.pipe.text_encoder.config.vocab_size
        cases = []
        for i, (length, total) in enumerate([(5, 5), (9, 16), (1, 4), (160, 160)]):
            ids = torch.randint(0, vocab, (1, total), generator=self.gen)
            ids[0, length:] = 0
            mask = (torch.arange(total) < length).long()[None]
            self.put(f"text.{i}", enc(ids, attention_mask=mask).last_hidden_state[:, :length])
            cases.append(ids[0, :length].tolist())
        self.doc["text"] = cases
        self.doc["prompts"] = []
        for i, p in enumerate(PROMPTS):
            embeds, _ = self.pipe.encode_prompt(p, do_classifier_free_guidance=False, max_sequence_length=TEXT)
            self.put(f"prompt.{i}", embeds)
            self.doc["prompts"].append(p)
        self.doc["text_length"] = TEXT

    def dit(self):
        m, width = self.pipe.transformer, self.pipe.transformer.config.text_dim
        self.doc["dit"] = []
        pt, ph, pw = self.patch
        for i, (frames, rows, cols, text, times) in enumerate([(3, 2, 3, 7, 1), (1, 2, 2, 1, 1), (2, 3, 2, 3, 0)]):
            frames, h, w, n = frames * pt, rows * ph, cols * pw, frames * rows * cols
            x, e = self.put(f"dit.{i}.x", self.randn(1, self.ch, frames, h, w)), self.put(f"dit.{i}.text", self.randn(1, text, width))
            t = torch.tensor([712.5]) if times else torch.tensor([[0.0, 250.25, 999.0][k % 3] for k in range(n)])[None]
            self.put(f"dit.{i}.y", m(x, t, e, return_dict=False)[0])
            self.doc["dit"].append(t.flatten().tolist())

    def causal(self):
        """Blocks of 1, 2 and 2 frames, each with a prompt of its own."""
        m, width = self.pipe.transformer, self.pipe.transformer.config.text_dim
        pt, ph, pw = self.patch
        sizes, h, w, per = [1 * pt, 2 * pt, 2 * pt], 2 * ph, 3 * pw, 6
        texts = [self.put(f"causal.{i}.text", self.randn(1, n, width)) for i, n in enumerate([3, 5, 2])]
        clean = [self.put(f"causal.{i}.clean", self.randn(1, self.ch, n, h, w)) for i, n in enumerate(sizes)]
        noisy = [self.put(f"causal.{i}.noisy", self.randn(1, self.ch, n, h, w)) for i, n in enumerate(sizes)]
        t = 640.0
        for k in range(len(sizes)):
            block = torch.cat([torch.full((n // pt * per,), i) for i, n in enumerate(sizes[: k + 1])])
            words = torch.cat([torch.full((texts[i].shape[1],), i) for i in range(k + 1)])
            processor = BlockCausal(block[:, None] >= block[None, :], block[:, None] == words[None, :])
            m.set_attn_processor(processor)
            times = torch.where(block == k, t, 0.0)[None]
            y = m(torch.cat(clean[:k] + [noisy[k]], 2), times, torch.cat(texts[: k + 1], 1), return_dict=False)[0]
            self.put(f"causal.{k}.y", y[:, :, sum(sizes[:k]):])
        m.set_attn_processor(type(m.blocks[0].attn1)._default_processor_cls())
        self.doc["causal"] = {"blocks": sizes, "timestep": t, "height": h, "width": w}

    def vae(self):
        m = self.vae_model
        z = self.put("vae.z", self.randn(1, m.config.z_dim, 4, 2, 3))
        self.put("vae.frames", m.decode(z, return_dict=False)[0])
        x = self.put("vae.x", self.randn(1, m.config.in_channels, 10, 2 * self.down, self.down).clamp(-1, 1))
        self.put("vae.mean", m.encode(x).latent_dist.mode())
        mean, std = (torch.tensor(v).view(1, -1, 1, 1, 1) for v in (m.config.latents_mean, m.config.latents_std))
        self.put("vae.normal", (z - mean) * (1.0 / std))
        self.put("vae.plain", z / (1.0 / std) + mean)

    def schedules(self):
        self.doc["schedules"] = []
        for shift, n in SCHEDULES:
            s = FlowMatchEulerDiscreteScheduler(shift=shift)
            s.set_timesteps(n)
            self.doc["schedules"].append(dict(shift=shift, steps=n, sigmas=s.sigmas.tolist(), timesteps=s.timesteps.tolist()))
        s = FlowMatchEulerDiscreteScheduler(shift=3.0)
        sigmas = [0.6, 0.45, 0.3, 0.15]
        s.set_timesteps(sigmas=sigmas)
        self.doc["custom"] = dict(shift=3.0, from_=sigmas, sigmas=s.sigmas.tolist(), timesteps=s.timesteps.tolist())

    def denoise(self):
        """A whole WanPipeline call from given latents, with guidance."""
        side = math.lcm(16, self.patch[1] * self.down, self.patch[2] * self.down)  # WanPipeline wants multiples of 16
        h, w, frames = side, 2 * side, 9
        x = self.put("denoise.x", self.randn(1, self.ch, 3 * self.patch[0], h // self.down, w // self.down))
        self.pipe.set_progress_bar_config(disable=True)
        call = dict(prompt=PROMPTS[0], negative_prompt="", height=h, width=w, num_frames=frames, num_inference_steps=STEPS,
                    guidance_scale=GUIDANCE, max_sequence_length=TEXT)
        y = self.put("denoise.y", self.pipe(latents=x.clone(), output_type="latent", **call).frames)
        m = self.vae_model.config
        mean, std = (torch.tensor(v).view(1, -1, 1, 1, 1) for v in (m.latents_mean, m.latents_std))
        self.put("denoise.frames", self.vae_model.decode(y / (1.0 / std) + mean, return_dict=False)[0])
        self.doc["denoise"] = dict(prompt=PROMPTS[0], steps=STEPS, guidance=GUIDANCE)

    def write(self, out):
        save_file(self.tensors, out / "goldens.safetensors")
        (out / "goldens.json").write_text(json.dumps(self.doc, separators=(",", ":")) + "\n")


class BlockCausal:
    """Attention under a mask; which of the two depends on whether there is a text to attend to."""

    def __init__(self, own, words):
        self.own, self.words = own, words

    def __call__(self, attn, hidden_states, encoder_hidden_states=None, attention_mask=None, rotary_emb=None):
        source, mask = (hidden_states, self.own) if encoder_hidden_states is None else (encoder_hidden_states, self.words)
        split = lambda x: x.unflatten(2, (attn.heads, -1))
        q, k, v = split(attn.norm_q(attn.to_q(hidden_states))), split(attn.norm_k(attn.to_k(source))), split(attn.to_v(source))
        if rotary_emb is not None:
            q, k = (rotate(x, *rotary_emb) for x in (q, k))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
        probs = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        return attn.to_out[0](torch.einsum("bhqk,bkhd->bqhd", probs, v).flatten(2))


def rotate(x, cos, sin):
    """Turns each pair of neighbours as a complex number."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    turn = torch.complex(cos[..., 0::2], sin[..., 1::2])
    return torch.view_as_real(pairs * turn).flatten(-2)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--model")
    args.add_argument("--vae")
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("--wide", action="store_true")
    args.add_argument("out", nargs="?")
    args = args.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(args.out) if args.out else root / "lantern/wan/testdata"
    out.mkdir(parents=True, exist_ok=True)
    diffusers_logging.set_verbosity_error()
    torch.manual_seed(args.seed)
    if args.vae:
        g = Goldens(load_part(AutoencoderKLWan, args.vae), None, args.seed)
        parts = [g.vae]
    else:
        model = args.model
        if model is None:
            model = out / "model"
            make_model(model, WIDE if args.wide else TINY, args.seed)
        pipe = load_model(model)
        g = Goldens(pipe.vae, pipe, args.seed)
        parts = [g.text, g.dit, g.causal, g.vae, g.schedules, g.denoise]
    with torch.no_grad():
        for part in parts:
            part()
    g.write(out)


if __name__ == "__main__":
    main()
