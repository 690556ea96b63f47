"""Train Lantern's transformer and its caption encoder together, by flow matching.

    python train_dit.py --latents /tmp/train/latents.pt --out /tmp/train/dit --minutes 75

Writes dit.pt (averaged weights) every two minutes. The run ends by the clock; the
learning rate follows the share of time used.
"""

import argparse
import copy
import math
import random
import time
from pathlib import Path

import torch

import batches
import denoiser
import latents
import text
from team import launch


def predict(dit, encoder, b):
    """The model's velocity for the frames that a batch has targets for."""
    words = text.embed(encoder, b.rows)
    words = words.view(len(b.x), -1, words.shape[-1])
    rope = denoiser.positions(dit, b.frames, *b.x.shape[3:])
    out = denoiser.forward(dit, b.x, b.t, words, rope, b.text_mask, b.mask)
    return out[:, :, -b.target.shape[2]:]


@torch.no_grad()
def average(slow, fast, keep):
    for a, b in zip(slow.parameters(), fast.parameters()):
        a.lerp_(b, 1 - keep)


def train(team, a):
    torch.manual_seed(a.seed)
    nets = torch.nn.ModuleDict(dict(dit=denoiser.build(), encoder=text.encoder()))
    torch.nn.init.zeros_(nets["dit"].proj_out.weight)
    torch.nn.init.normal_(nets["encoder"].shared.weight, std=0.5)
    if a.resume:
        state = torch.load(a.resume, weights_only=True)
        nets["dit"].load_state_dict(state["dit"]), nets["encoder"].load_state_dict(state["encoder"])
    slow = copy.deepcopy(nets)
    groups, centre, spread = latents.load(a.latents)
    source = batches.Source(groups, random.Random(a.seed * 1000 + team.rank), a.batch)
    params = list(dict.fromkeys(nets.parameters()))
    opt = torch.optim.AdamW(params, lr=a.lr, betas=(0.9, 0.98), weight_decay=0.01)
    shown = saved = time.time()
    step, used, seen = 0, 0.0, {}
    while used < 1:
        for g in opt.param_groups:
            g["lr"] = a.lr * min(1, (step + 1) / 100) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * used)))
        b = source.next(1.0 if a.resume else used)
        loss = (predict(nets["dit"], nets["encoder"], b) - b.target).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        used = team.average(params)
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
        step += 1
        average(slow, nets, min(0.996, 1 - 1 / (step / 10 + 1)))
        seen[b.kind] = 0.97 * seen.get(b.kind, loss.item()) + 0.03 * loss.item()
        if team.rank == 0 and time.time() - shown > 20:
            shown = time.time()
            losses = "  ".join(f"{k} {v:.3f}" for k, v in sorted(seen.items()))
            print(f"{(shown - team.start) / 60:5.1f} min  step {step}  {losses}", flush=True)
        if team.rank == 0 and (time.time() - saved > 120 or used >= 1):
            saved = time.time()
            torch.save(dict(dit=slow["dit"].state_dict(), encoder=slow["encoder"].state_dict(), step=step,
                            mean=centre, std=spread), a.out / "dit.new")
            (a.out / "dit.new").rename(a.out / "dit.pt")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--latents", type=Path, required=True)
    args.add_argument("--out", type=Path, required=True)
    args.add_argument("--resume", type=Path, help="start from the weights of this dit.pt")
    args.add_argument("--minutes", type=float, default=75)
    args.add_argument("--lr", type=float, default=1.5e-3)
    args.add_argument("--batch", type=int, default=8, help="clips a step and member")
    args.add_argument("--seed", type=int, default=3)
    args.add_argument("--members", type=int, default=2, help="processes of one thread each")
    a = args.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    launch(train, a, a.members, a.minutes * 60)


if __name__ == "__main__":
    main()
