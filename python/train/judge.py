"""What a clip shows: the colours of shape and background, and where the shape goes.

    python judge.py clip.gif --prompt "a red circle moving right on a blue background"
    python judge.py frame-*.png

Needs numpy and Pillow only, knows nothing of the model, and so judges clips of any
engine. The picture counts as a torus: a shape that leaves on one side and comes
back on the other has gone on in the same direction.
"""

import argparse
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageSequence

from palette import BACKGROUNDS, COLOURS, DIRECTIONS, SHAPE_COLOURS

SEEN = 60.0  # colour distance (of 442) from the background that makes a pixel part of the shape
STILL = 4 / 64  # share of the picture below which a path counts as standing still


@dataclass
class Verdict:
    colour: str  # of the shape; "" when there is none
    background: str
    direction: str  # of the whole path; "" stands still
    path: list  # unwrapped centre of the shape in pixels, one (x, y) a frame; None where it is not seen
    area: float  # mean share of the picture that the shape covers

    def steps(self, first=0, last=None):
        """Displacement between two frames of the path, in pixels; None when the shape is not seen there."""
        seen = [p for p in self.path[first:last] if p is not None]
        return (seen[-1][0] - seen[0][0], seen[-1][1] - seen[0][1]) if len(seen) > 1 else None


def nearest(colour, names):
    return min(names, key=lambda n: float(np.linalg.norm(colour - np.array(COLOURS[n]))))


def heading(step, side):
    """The direction of a displacement; "" when it is shorter than STILL of the picture."""
    if step is None or math.hypot(*step) < STILL * side:
        return ""
    return max(DIRECTIONS, key=lambda d: DIRECTIONS[d][0] * step[0] + DIRECTIONS[d][1] * step[1])


def centre(mask):
    """Centre of a mask on a torus, in pixels, or None when it is empty."""
    if mask.sum() < 6:
        return None
    out = []
    for axis in (0, 1):
        weight, n = mask.sum(axis), mask.shape[1 - axis]
        angle = np.angle((weight * np.exp(2j * np.pi * (np.arange(n) + 0.5) / n)).sum())
        out.append(float(angle / (2 * np.pi) % 1 * n))
    return out


def judge(frames):
    """The verdict on frames (count, height, width, 3) of 0 to 255."""
    frames = np.asarray(frames, dtype=np.float32)
    height, width = frames.shape[1:3]
    pixels = frames.reshape(-1, 3)
    ground = np.array([np.bincount(np.clip(pixels[:, c] / 4, 0, 63).astype(int), minlength=64).argmax() * 4 + 2 for c in range(3)])
    near = pixels[np.linalg.norm(pixels - ground, axis=1) < SEEN]
    ground = np.median(near, axis=0) if len(near) else np.median(pixels, axis=0)
    far = np.linalg.norm(frames - ground, axis=3)
    mask = far > SEEN
    path, last = [], None
    for m in mask:
        c = centre(m)
        if c and last:
            c = [last[i] + (c[i] - last[i] + n / 2) % n - n / 2 for i, n in ((0, width), (1, height))]
        path.append(c)
        last = c or last
    colour = ""
    if mask.any():
        inside = frames[far > 0.7 * np.percentile(far[mask], 90)]
        colour = nearest(np.median(inside, axis=0), SHAPE_COLOURS)
    v = Verdict(colour, nearest(ground, BACKGROUNDS), "", path, float(mask.mean()))
    v.direction = heading(v.steps(), (width + height) / 2)
    return v


def wanted(prompt):
    """Colour, background and direction that a plain caption asks for."""
    words = prompt.lower().split()
    colours = [w for w in words if w in COLOURS]
    return dict(colour=colours[0], background=colours[-1] if len(colours) > 1 else None,
                direction=next((w for w in words if w in DIRECTIONS), ""))


def read(paths):
    """The frames of a GIF, APNG or list of pictures."""
    frames = []
    for p in paths:
        with Image.open(p) as image:
            frames += [np.array(f.convert("RGB")) for f in ImageSequence.Iterator(image)]
    return np.stack(frames)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("files", nargs="+", type=Path)
    args.add_argument("--prompt", help="say also what is right")
    a = args.parse_args()
    v = judge(read(a.files))
    out = asdict(v) | dict(path=[p and [round(x, 1) for x in p] for p in v.path], area=round(v.area, 4))
    if a.prompt:
        out["right"] = {k: w is None or getattr(v, k) == w for k, w in wanted(a.prompt).items()}
    print(json.dumps(out))
    raise SystemExit(0 if all(out.get("right", {}).values()) else 1)


if __name__ == "__main__":
    main()
