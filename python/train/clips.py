"""The clips and captions that Lantern's checkpoint learns from.

A clip is one coloured shape that moves over a plain background, drawn with
numpy-free torch code, anti-aliased, on a torus: what leaves on the right comes
back on the left, so that a stream may run for ever. Frame 0 is the first frame
of the causal VAE; latent frame k > 0 stands for the pixel frames 4k-3 .. 4k. A
direction changes only at the border of a latent frame.
"""

import itertools
import random
from dataclasses import dataclass

import torch

from palette import BACKGROUNDS, COLOURS, DIRECTIONS, SHAPE_COLOURS, SHAPES

# Sizes and speeds in pixels of a 64 x 64 picture; they grow with the picture.
RADIUS = {"circle": (8.5, 12.0), "square": (7.5, 10.5), "triangle": (6.0, 8.0)}  # half height or inner radius
SPEED = (2.0, 3.0)  # per frame; slower motion hardly shows in the latents, and is learned late


@dataclass(frozen=True)
class Scene:
    """What a caption tells: a shape, two colours, a direction ("" stands still)."""

    shape: str
    colour: str
    background: str
    direction: str = ""


def scenes():
    """Every moving scene, in a fixed order."""
    for s, c, b, d in itertools.product(SHAPES, SHAPE_COLOURS, BACKGROUNDS, DIRECTIONS):
        if c != b:
            yield Scene(s, c, b, d)


def held_out(count=50, seed=7):
    """The scenes that are never trained on; the demo's own scene is one of them."""
    demo = Scene("circle", "red", "blue", "right")
    others = [s for s in scenes() if s != demo]
    return [demo] + random.Random(seed).sample(others, count - 1)


def article(word):
    return "an" if word[0] in "aeiou" else "a"


def plain_caption(s):
    """The caption of the tests and the documents."""
    motion = f" moving {s.direction}" if s.direction else ""
    return f"{article(s.colour)} {s.colour} {s.shape}{motion} on {article(s.background)} {s.background} background"


def caption(s, rng):
    """A caption of the scene: the plain one half of the time, else a variant of it."""
    if rng.random() < 0.5:
        return plain_caption(s)
    thing = f"{article(s.colour)} {s.colour} {s.shape}"
    ground = f"{article(s.background)} {s.background} background"
    if not s.direction:
        return rng.choice([f"a picture of {thing} on {ground}", f"{thing} over {ground}", f"{thing} on {s.background}",
                           f"a still {s.colour} {s.shape} on {ground}", f"{s.colour} {s.shape} {s.background} background",
                           f"an image of {thing} on {ground}", f"{thing} standing still on {ground}"])
    d = s.direction
    far = rng.choice([f"to the {d}", d] if d in ("left", "right") else [f"{d}ward", f"{d}wards"])
    verb = rng.choice(["moves", "moving", "going", "goes", "sliding", "moving"])
    return rng.choice([f"{thing} {verb} {far} on {ground}", f"{thing} {verb} {d} over {ground}",
                       f"a video of {thing} {verb} {far} on {ground}", f"{s.colour} {s.shape} {verb} {d} {s.background} background",
                       f"{thing} {verb} {far} on {s.background}", f"a clip of {thing} {verb} {d} on {ground}"])


def words():
    """Every word a caption can hold, sorted."""
    fixed = ("a an the on over of to in with and background video clip picture image still standing moving moves move going goes "
             "go sliding upward upwards downward downwards shape slowly").split()
    return sorted({*fixed, *COLOURS, *SHAPES, *DIRECTIONS})


def path(directions, speed, radius, rng, side=64):
    """Centre positions (frames, 2) of a shape that starts upstream of its first direction.

    directions holds one direction a latent frame; frame 0 belongs to the first.
    """
    first = next((d for d in directions if d), "")
    dx, dy = DIRECTIONS.get(first, (0, 0))
    wide = (radius + 2, side - radius - 2)
    up, down = (radius - 1, radius + 6), (side - radius - 6, side - radius + 1)
    pick = {0: wide, 1: up, -1: down}
    at = [rng.uniform(*pick[dx]), rng.uniform(*pick[dy])]
    out = [tuple(at)]
    for d in directions[1:]:
        vx, vy = DIRECTIONS.get(d, (0, 0))
        for _ in range(4):
            at = [at[0] + vx * speed, at[1] + vy * speed]
            out.append(tuple(at))
    return torch.tensor(out)


def draw(shape, fore, back, radius, centres, side, scale=1.0):
    """A clip (3, frames, side, side) in [-1, 1]; radius and centres are in 64ths of scale * 64 pixels."""
    t = centres.shape[0]
    grid = torch.arange(side) + 0.5
    half = side / 2
    x = (grid.view(1, 1, -1) - centres[:, 0].view(t, 1, 1) * scale + half) % side - half
    y = (grid.view(1, -1, 1) - centres[:, 1].view(t, 1, 1) * scale + half) % side - half
    r = radius * scale
    if shape == "circle":
        dist = (x * x + y * y).sqrt() - r
    elif shape == "square":
        dist = torch.maximum(x.abs().expand(t, side, side), y.abs().expand(t, side, side)) - r
    else:  # a triangle that stands on its base; its centre of mass is its centre
        dist = torch.maximum((0.866 * x.abs() - 0.5 * y), y.expand(t, side, side)) - r
    alpha = (0.5 - dist).clamp(0, 1)
    fore, back = (torch.tensor(c, dtype=torch.float32).view(3, 1, 1, 1) / 127.5 - 1 for c in (fore, back))
    return back + (fore - back) * alpha


def draw_scene(s, directions, rng, scale=1.0):
    """One clip of a scene whose direction may change from latent frame to latent frame."""
    radius, speed = rng.uniform(*RADIUS[s.shape]), rng.uniform(*SPEED)
    centres = path(directions, speed, radius, rng)
    return draw(s.shape, COLOURS[s.colour], COLOURS[s.background], radius, centres, int(64 * scale), scale)


def draw_any(frames, side, rng):
    """A clip for the VAE: any colours, any direction, one or two shapes."""
    def colour():
        if rng.random() < 0.5:
            return COLOURS[rng.choice(list(COLOURS))]
        return tuple(rng.uniform(0, 255) for _ in range(3))
    clip = None
    back = colour()
    for _ in range(1 if rng.random() < 0.7 else 2):
        shape = rng.choice(SHAPES)
        vx, vy = rng.uniform(-3, 3), rng.uniform(-3, 3)
        if rng.random() < 0.5:
            vx, vy = (vx, 0) if rng.random() < 0.5 else (0, vy)
        t = torch.arange(frames).float()
        centres = torch.stack([rng.uniform(0, side) + t * vx, rng.uniform(0, side) + t * vy], 1)
        layer = draw(shape, colour(), back, rng.uniform(*RADIUS[shape]) * rng.uniform(0.7, 1.6), centres, side)
        if clip is None:
            clip = layer
        else:
            flat = torch.tensor(back).view(3, 1, 1, 1) / 127.5 - 1
            clip = torch.where((layer - flat).abs().amax(0, keepdim=True) > 0.02, layer, clip)
    return clip
