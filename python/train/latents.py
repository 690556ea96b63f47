"""Draw the training clips once and keep their latents.

    python latents.py --vae /tmp/train/vae/vae.pt --out /tmp/train/latents.pt

"plain" holds clips of five latent frames (17 frames); "long" clips of nine that keep
their direction, "turn3" .. "turn6" clips of nine that change it at that latent frame. "big96" and "big128" are short
clips at larger sizes, for the refinement stage. Scenes that are held out for the
evaluation are never drawn.
"""

import argparse
import random
import time
from dataclasses import replace
from pathlib import Path

import torch
from diffusers import AutoencoderKLWan

import clips
import wholeclip
from team import launch

GROUPS = {  # clips, latent frames, size in 64 pixels
    "plain": (840, 5, 1.0), "long": (250, 9, 1.0), "turn3": (64, 9, 1.0), "turn4": (64, 9, 1.0), "turn5": (64, 9, 1.0),
    "turn6": (64, 9, 1.0), "big96": (32, 5, 1.5), "big128": (20, 5, 2.0),
}
BATCH = 8  # clips encoded together; much faster than one by one
STILL = 0.08  # share of scenes, or second halves of scenes, that stand still


def load_vae(path, mean=None, std=None):
    saved = torch.load(path, weights_only=True)
    vae = AutoencoderKLWan(**saved["config"], latents_mean=mean or [0.0] * 16, latents_std=std or [1.0] * 16)
    vae.load_state_dict(saved["state"])
    return vae.eval()


def draw(name, pool, out, rng):
    """One clip of a group: the scene before, the scene after, the frames."""
    _, frames, scale = GROUPS[name]
    while True:
        first = last = rng.choice(pool)
        if rng.random() < STILL:
            first = last = replace(first, direction="")
        turn = frames
        if name.startswith("turn"):
            turn = int(name[4:])
            last = replace(first, direction="" if rng.random() < STILL else rng.choice([d for d in clips.DIRECTIONS if d != first.direction]))
        if first not in out and last not in out:
            break
    return first, last, clips.draw_scene(first, [first.direction] * turn + [last.direction] * (frames - turn), rng, scale)


@torch.no_grad()
def work(team, a):
    vae, pool, out = load_vae(a.vae), list(clips.scenes()), set(clips.held_out())
    rng = random.Random(a.seed * 1000 + team.rank)
    groups = {}
    for name, (count, _, _) in GROUPS.items():
        begin, rows, pairs, left = time.time(), [], [], int(count * a.share) // team.size
        while left > len(pairs):
            drawn = [draw(name, pool, out, rng) for _ in range(min(BATCH, left - len(pairs)))]
            z = wholeclip.encode(vae, torch.stack([clip for _, _, clip in drawn]))[0]
            rows += list(z.half())
            pairs += [(vars(first), vars(last)) for first, last, _ in drawn]
        groups[name] = dict(latents=torch.stack(rows), scenes=pairs)
        if team.rank == 0:
            print(f"{name}: {len(rows)} clips a member in {time.time() - begin:.0f} s", flush=True)
    torch.save(groups, f"{a.out}.{team.rank}")


def load(path):
    """All groups (name -> latents (clips, 16, frames, height, width) and pairs of scenes), normalised, with mean and spread.

    The transformer sees each channel centred and scaled, as the VAE's config will say.
    """
    groups = {}
    for part in sorted(path.parent.glob(path.name + ".*")):
        for name, g in torch.load(part, weights_only=True).items():
            have = groups.setdefault(name, dict(latents=[], scenes=[]))
            have["latents"].append(g["latents"])
            have["scenes"] += [(clips.Scene(**a), clips.Scene(**b)) for a, b in g["scenes"]]
    for g in groups.values():
        g["latents"] = torch.cat(g["latents"])
    all64 = torch.cat([groups[n]["latents"].float().transpose(0, 1).flatten(1) for n in ("plain", "long")], 1)
    mean, std = all64.mean(1), all64.std(1)
    for g in groups.values():
        g["latents"] = ((g["latents"].float() - mean.view(-1, 1, 1, 1)) / std.view(-1, 1, 1, 1)).half()
    return groups, mean.tolist(), std.tolist()


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--vae", type=Path, required=True)
    args.add_argument("--out", type=Path, required=True)
    args.add_argument("--share", type=float, default=1.0, help="draw only this share of the clips")
    args.add_argument("--seed", type=int, default=2)
    args.add_argument("--members", type=int, default=2)
    a = args.parse_args()
    launch(work, a, a.members, 1)


if __name__ == "__main__":
    main()
