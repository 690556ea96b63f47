"""Training batches for the transformer, in five kinds.

"clip"   all frames noisy at one time step, each token sees all: text to video
"start"  the first frame is clean, the rest noisy: a picture to video. Where the shape
         is, is known, and only the caption says where it goes; without these batches
         the directions are learned very late, for the rotary positions are relative
"image"  one latent frame: text to image
"big"    larger pictures with little noise: the refinement stage
"stream" clean blocks in front of noisy ones, in causal order: streaming. A noisy
         block sees itself and the clean blocks before it; a clean block sees
         itself and those before it, at time 0. Each block has its own time step,
         and the caption of its own time.
"""

from dataclasses import dataclass, replace

import torch

import clips
import text

SHIFT = 3.0  # of the flow-matching schedule, as in the scheduler's config
KINDS = {"clip": 0.36, "start": 0.30, "image": 0.05, "big": 0.05, "stream": 0.24}
EARLY = {"clip": 0.5, "image": 0.5}  # up to time START
START = 0.15
DROP = 0.1  # captions left out, for classifier-free guidance


@dataclass
class Batch:
    kind: str
    x: torch.Tensor  # network input (batch, 16, frames, height, width)
    t: torch.Tensor  # time step of each latent frame (batch, frames)
    target: torch.Tensor  # velocity of the last frames of x
    rows: torch.Tensor  # caption ids (captions, text.LENGTH); captions of a clip follow each other
    text_mask: torch.Tensor
    mask: torch.Tensor | None
    frames: list  # latent frame numbers, for the positions


def spread(count, generator):
    """count numbers over (0, 1), one in each of count equal parts, in random order."""
    return ((torch.randperm(count, generator=generator) + torch.rand(count, generator=generator)) / count)[:, None]


def shifted(u):
    return SHIFT * u / (1 + (SHIFT - 1) * u)


def blocks(frames, turn, rng):
    """Cuts frames into blocks; a block begins at turn, the first may be one frame."""
    sizes = []
    for part, length in enumerate((min(turn, frames), frames - min(turn, frames))):
        size = rng.choice([2, 3, 3])
        if part == 0 and length > 1 and rng.random() < 0.5:
            sizes.append(1)
            length -= 1
        while length > 0:
            sizes.append(min(size, length))
            length -= sizes[-1]
    return [i for i, s in enumerate(sizes) for _ in range(s)]


def causal_mask(ids, clean, tokens):
    """Who sees whom: clean copies of the first frames, if any, and all frames; ids is the block of each frame.

    Without clean copies each frame sees its own block and those before it. With them, the
    noisy frames see their own block only, and of the others the clean copies.
    """
    n = torch.tensor(ids)
    if not clean:
        return (n[:, None] >= n[None]).repeat_interleave(tokens, 0).repeat_interleave(tokens, 1)
    c = n[:clean]
    top = torch.cat([c[:, None] >= c[None], torch.zeros(clean, len(n), dtype=torch.bool)], 1)
    bottom = torch.cat([n[:, None] > c[None], n[:, None] == n[None]], 1)
    return torch.cat([top, bottom]).repeat_interleave(tokens, 0).repeat_interleave(tokens, 1)


class Source:
    """Draws batches from the latents; deterministic for a seed."""

    def __init__(self, groups, rng, size):
        self.groups, self.rng, self.size, self.short = groups, rng, size, 1
        self.gen = torch.Generator().manual_seed(rng.getrandbits(60))
        scenes = list(clips.scenes()) + list({replace(s, direction=""): 0 for s in clips.scenes()})
        self.table = {s: text.ids([clips.caption(s, rng) for _ in range(16)]) for s in scenes}
        self.empty = text.ids([""])[0]

    def noise(self, like):
        return torch.randn(like.shape, generator=self.gen)

    def caption(self, scene):
        return self.rng.choice(self.table[scene])

    def next(self, used=1.0):
        """A batch; used is the share of the training time that has gone. Short and cheap ones come first."""
        kinds = EARLY if used < START else KINDS
        kind = self.rng.choices(list(kinds), list(kinds.values()))[0]
        self.short = 3 if used < START else 1
        return self.stream() if kind == "stream" else self.together(kind)

    def pick(self, name, count):
        g = self.groups[name]
        at = [self.rng.randrange(len(g["scenes"])) for _ in range(count)]
        return g["latents"][at].float(), [g["scenes"][i] for i in at]

    def together(self, kind):
        rng = self.rng
        name = rng.choice(["big96", "big128"]) if kind == "big" else rng.choices(["plain", "long", "turn5", "turn6"], [12, 4, 1, 1])[0]
        size = {"clip": self.size, "start": self.size, "image": 3 * self.size, "big": max(1, self.size // (4 if name == "big96" else 6))}[kind]
        z, pairs = self.pick(name, size)
        long = name == "long" and kind == "clip"
        frames = 1 if kind == "image" else rng.choices([3, 5, 9], [2 * self.short, 6, int(long)])[0]
        z = z[:, :, :frames]
        s = shifted(spread(size, self.gen)) if kind != "big" else 0.75 * spread(size, self.gen)
        s, mask = s.repeat(1, frames), None
        if kind == "start":
            s[:, 0] = 0
            mask = causal_mask([0] + [1] * (frames - 1), 0, z.shape[3] * z.shape[4] // 4)
        scenes = [a if kind != "image" or rng.random() < 0.4 else replace(a, direction="") for a, _ in pairs]
        rows = torch.stack([self.empty if rng.random() < DROP else self.caption(a) for a in scenes])
        e = self.noise(z)
        w = s[:, None, :, None, None]
        bias = text.pad_bias(rows, rng.choice(text.MAX_LENGTHS))[:, None, None]
        target = (e - z)[:, :, int(kind == "start"):]
        return Batch(kind, (1 - w) * z + w * e, 1000 * s, target, rows, bias, mask, list(range(frames)))

    def stream(self):
        rng = self.rng
        name = rng.choices(["long", "turn3", "turn4", "turn5", "turn6"], [3, 1, 1, 1, 1])[0]
        size = max(1, self.size * 3 // 8)
        z, pairs = self.pick(name, size)
        turn = int(name[4:]) if name != "long" else 9
        start = rng.choice([0, 0, 0, 1, 2, 3])  # later ones: a window that has slid past the first frame
        z, turn, frames = z[:, :, start:], max(0, turn - start), 9 - start
        ids = blocks(frames, turn, rng)
        clean = ids.index(ids[-1])
        level = torch.rand((size, ids[-1] + 1), generator=self.gen)
        s = shifted(level)[:, ids]
        e, w = self.noise(z), s[:, None, :, None, None]
        context = z[:, :, :clean]
        rough = 0.15 * torch.rand((size, 1, 1, 1, 1), generator=self.gen) * (torch.rand((size, 1, 1, 1, 1), generator=self.gen) < 0.6)
        context = context + rough * self.noise(context)  # as the model's own clean blocks are never quite clean
        x = torch.cat([context, (1 - w) * z + w * e], 2)
        t = torch.cat([torch.zeros(size, clean), 1000 * s], 1)
        rows = torch.stack([r for a, b in pairs for r in (self.caption(a), self.caption(b), self.empty)])
        bias = text.pad_bias(rows, rng.choice(text.MAX_LENGTHS)).view(size, 3, 1, text.LENGTH)
        which = torch.tensor([int(f >= turn) for f in [*range(clean), *range(frames)]]).repeat(size, 1)
        for row in which:
            if rng.random() < DROP:
                row[clean if rng.random() < 0.6 else 0:] = 2
        tokens = z.shape[3] * z.shape[4] // 4
        own = (which[:, None] == torch.arange(3).view(1, 3, 1))[..., None]  # batch, captions, frames, 1
        mask = torch.where(own, bias, -1e9).transpose(1, 2).flatten(2)  # batch, frames, 3 * LENGTH
        mask = mask.repeat_interleave(tokens, 1)[:, None]
        order = [start + f for f in [*range(clean), *range(frames)]]
        return Batch("stream", x, t, e - z, rows, mask, causal_mask(ids, clean, tokens), order)
