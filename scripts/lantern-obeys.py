"""Does Lantern obey? reel demo makes a clip for each of 50 prompts that were never trained on, and
python/train/judge.py says what the clips show.

    lantern-obeys.py REEL [--sheet SHEET.png] [--steps N] [--guidance G] [--seed S]

Needs numpy and Pillow, no PyTorch. Prints the shares; exit code 1 when the colour is right in fewer than 90 % of the
clips or the direction in fewer than 80 %.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python/train"))
import clips  # noqa: E402
import judge  # noqa: E402


def sheet(videos, path, across=6, columns=3):
    strips = [np.concatenate([v[i] for i in np.linspace(0, len(v) - 1, across).round().astype(int)], 1) for v in videos]
    h, w = strips[0].shape[:2]
    page = np.full((-(-len(strips) // columns) * (h + 4), columns * (w + 8), 3), 255, np.uint8)
    for i, s in enumerate(strips):
        y, x = i // columns * (h + 4), i % columns * (w + 8)
        page[y:y + h, x:x + w] = s
    Image.fromarray(page).save(path)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("reel")
    args.add_argument("--sheet")
    args.add_argument("--model", help="a Diffusers folder in place of the built-in one")
    args.add_argument("--steps", default="20")
    args.add_argument("--guidance", default="4")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--verbose", action="store_true")
    a = args.parse_args()
    right, videos = {"colour": [], "background": [], "direction": []}, []
    with tempfile.TemporaryDirectory() as work:
        for i, scene in enumerate(clips.held_out()):
            prompt = clips.plain_caption(scene)
            clip = f"{work}/{i}.png"
            done = subprocess.run([a.reel, "demo", *(["--model", a.model] if a.model else []), "--prompt", prompt, "--seed", str(a.seed + i), "--steps", a.steps, "--guidance", a.guidance,
                                   "--scale", "1", "-o", clip, "--report-path", f"{work}/run{i}"], capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            frames = judge.read([pathlib.Path(clip)])
            v = judge.judge(frames)
            videos.append(frames)
            for k, list_ in right.items():
                list_.append(getattr(v, k) == getattr(scene, k))
            if a.verbose:
                print(f"  {prompt:62} {v.colour:7} {v.background:6} {v.direction or 'still'}")
    if a.sheet:
        sheet(videos, a.sheet)
    share = {k: sum(r) / len(r) for k, r in right.items()}
    print(f"{len(videos)} held-out prompts: " + ", ".join(f"{k} {sum(right[k])} ({100 * s:.0f} %)" for k, s in share.items()))
    sys.exit(share["colour"] < 0.9 or share["direction"] < 0.8)


main()
