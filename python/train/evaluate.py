"""Does the trained model obey? Held-out prompts, streams, streams with a turn, and the second stage.

    python evaluate.py --model ../../lantern/checkpoint/model --out /tmp/train/eval

Prints one table and writes sheet.png (six frames a prompt), stream.png and refine.png.
"""

import argparse
import random
from pathlib import Path

import numpy as np
import torch
from PIL import Image

import clips
import judge
import sample

OPPOSITE = {"left": "right", "right": "left", "up": "down", "down": "up"}
BLOCKS, FRAMES = 5, 3  # blocks of a stream, latent frames of a block


def share(values):
    values = list(values)
    return f"{sum(values)}/{len(values)} ({100 * sum(values) / len(values):.0f} %)"


def sheet(videos, path, across=6, columns=3):
    """A contact sheet: a strip of frames a clip."""
    strips = [np.concatenate([v[i] for i in np.linspace(0, len(v) - 1, across).round().astype(int)], 1) for v in videos]
    h, w = strips[0].shape[:2]
    rows = -(-len(strips) // columns)
    page = np.full((rows * (h + 4), columns * (w + 8), 3), 255, np.uint8)
    for i, s in enumerate(strips):
        y, x = i // columns * (h + 4), i % columns * (w + 8)
        page[y:y + h, x:x + w] = s
    Image.fromarray(page).save(path)


def in_batches(make, items, size=10):
    return np.concatenate([make(items[i:i + size], i) for i in range(0, len(items), size)])


def prompts(pipe, a):
    scenes = clips.held_out()[:a.count]
    said = [clips.plain_caption(s) for s in scenes]
    videos = in_batches(lambda p, i: sample.text_to_video(pipe, p, steps=a.steps, guidance=a.guidance, seed=a.seed + i), said)
    verdicts = [judge.judge(v) for v in videos]
    if a.verbose:
        for s, v in zip(said, verdicts):
            print(f"  {s:62} {v.colour:7} {v.background:6} {v.direction or 'still':6} {v.area:.3f}")
    print(f"held-out prompts: colour {share(v.colour == s.colour for s, v in zip(scenes, verdicts))}, "
          f"background {share(v.background == s.background for s, v in zip(scenes, verdicts))}, "
          f"direction {share(v.direction == s.direction for s, v in zip(scenes, verdicts))}")
    sheet(videos, a.out / "sheet.png")
    sample.save(videos[0], a.out / "demo.gif")
    return scenes, said, videos


def streams(pipe, a):
    """Half of the streams keep their prompt, half turn at the third block."""
    rng = random.Random(a.seed)
    scenes = [s for s in clips.held_out()[:a.streams]]
    heads = []
    for i, s in enumerate(scenes):
        then = s.direction if i % 2 == 0 else rng.choice([d for d in clips.DIRECTIONS if d not in (s.direction, OPPOSITE[s.direction])])
        heads.append([s.direction] * 2 + [then] * (BLOCKS - 2))
    scripts = [[clips.plain_caption(clips.Scene(s.shape, s.colour, s.background, d)) for d in h] for s, h in zip(scenes, heads)]
    z = sample.stream(pipe, scripts, [FRAMES] * BLOCKS, steps=a.steps, guidance=a.guidance, seed=a.seed)
    videos = sample.decode(pipe, z)
    obeyed, turned, colours, jumps = [], [], [], []
    for v, s, h in zip(videos, scenes, heads):
        verdict = judge.judge(v)
        colours.append(judge.judge(v[-9:]).colour == s.colour)
        for k in range(BLOCKS):
            last = 4 * (k + 1) * FRAMES - 3  # frames of the blocks up to and with k
            first = max(0, last - 4 * FRAMES)
            step = verdict.steps(first, last)
            (turned if h[k] != h[0] else obeyed).append(judge.heading(step, v.shape[1]) == h[k])
            if k and None not in verdict.path[first - 1:first + 1]:
                jumps.append(float(np.hypot(*np.subtract(verdict.path[first], verdict.path[first - 1]))))
    print(f"streams of {BLOCKS} blocks: first heading kept {share(obeyed)} of blocks, new heading obeyed {share(turned)} of blocks, "
          f"colour kept to the end {share(colours)}, step across a border: median {np.median(jumps):.1f} px, largest {max(jumps):.1f} px "
          f"(training clips: 2.0 to 3.0)")
    sheet(videos, a.out / "stream.png", across=10, columns=1)


def second_stage(pipe, a, scenes, said, videos):
    videos = sample.refine(pipe, videos[:a.refine], said[:a.refine], steps=a.steps, guidance=a.guidance)
    verdicts = [judge.judge(v) for v in videos]
    scenes = scenes[:a.refine]
    print(f"second stage at 128 pixels: colour {share(v.colour == s.colour for s, v in zip(scenes, verdicts))}, "
          f"direction {share(v.direction == s.direction for s, v in zip(scenes, verdicts))}")
    sheet(videos, a.out / "refine.png", columns=1)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--model", type=Path, required=True)
    args.add_argument("--out", type=Path, required=True)
    args.add_argument("--count", type=int, default=50)
    args.add_argument("--streams", type=int, default=12)
    args.add_argument("--refine", type=int, default=6)
    args.add_argument("--steps", type=int, default=sample.STEPS)
    args.add_argument("--guidance", type=float, default=sample.GUIDANCE)
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("--threads", type=int, default=1)
    args.add_argument("--verbose", action="store_true")
    a = args.parse_args()
    torch.set_num_threads(a.threads)
    a.out.mkdir(parents=True, exist_ok=True)
    pipe = sample.load(a.model)
    made = prompts(pipe, a)
    if a.streams:
        streams(pipe, a)
    if a.refine:
        second_stage(pipe, a, *made)


if __name__ == "__main__":
    main()
