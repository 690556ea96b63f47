#!/usr/bin/env python3
"""Compares Lantern's models in Go with Diffusers' and transformers' own, live.

    lantern.py [FOLDER]

FOLDER keeps what is computed (default: a temporary folder). Compared are: pipelines with random weights, of sizes and
seeds that no golden has; the trained checkpoint, lantern/checkpoint/model, when it is there, and its tokenizer; a VAE with the real shapes of
Wan 2.1 and random weights. Of both VAEs, "reel startup vae" and AutoencoderKLWan decode the same latent. Each writes the libraries' values with python/goldens/wan_goldens.py and lets the tests of
lantern/wan read them. REEL_SEED sets the seed, which is printed. Exit status 1 when a comparison fails.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GOLDENS = ROOT / "python/goldens/wan_goldens.py"
ALL = "^(TestTextEncoder|TestTransformer|TestCausal|TestVAE|TestSchedule|TestDenoise)$"


def run(what, command, **env):
    """Runs a command; prints its end when it fails."""
    done = subprocess.run([str(c) for c in command], cwd=ROOT, env={**os.environ, **{k: str(v) for k, v in env.items()}}, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"FAIL {what}")
        print("       " + "\n       ".join((done.stdout + done.stderr).strip().splitlines()[-20:]))
    return done


def compare(what, out, arguments, tests, **env):
    """Writes the libraries' values to out and lets the Go tests compare."""
    if run(f"{what}: the libraries' values", [sys.executable, GOLDENS, *arguments, out]).returncode != 0:
        return False
    done = run(what, ["go", "test", "-count=1", "-v", "-run", tests, "./lantern/wan"], REEL_LANTERN_GOLDENS=out, **env)
    lines = [l for l in done.stdout.splitlines() if " in norm, " in l]
    if done.returncode == 0 and not lines:
        print(f"FAIL {what}: nothing was compared")
        return False
    if done.returncode == 0:
        print(f"ok   {what}: {len(lines)} comparisons, largest difference {max(float(l.split(' in norm, ')[1].split()[0]) for l in lines):.1e}")
    return done.returncode == 0


def tokens(out, file, seed):
    what = "trained checkpoint's tokenizer"
    script = ROOT / "python/goldens/tokenizer_goldens.py"
    if run(f"{what}: the library's numbers", [sys.executable, script, "--tokenizer", file, "--seed", seed, out]).returncode != 0:
        return False
    good = run(what, ["go", "test", "-count=1", "-run", "^TestGoldens$", "./lantern/wan/tokenizer"], REEL_LANTERN_TOKENIZERS=out).returncode == 0
    if good:
        print(f"ok   {what}")
    return good


DECODE = """
import sys
import pathlib
import torch
from safetensors.torch import load_file, save_file
sys.path.insert(0, sys.argv[1])
from wan_goldens import AutoencoderKLWan, load_part
folder, latent, frames = sys.argv[2:]
vae = load_part(AutoencoderKLWan, folder)
z = load_file(latent)["latent"]
mean, std = (torch.tensor(v).view(1, -1, 1, 1, 1) for v in (vae.config.latents_mean, vae.config.latents_std))
with torch.no_grad():
    save_file({"frames": vae.decode(z * std + mean, return_dict=False)[0].contiguous()}, frames)
"""


def startup(what, reel, out, folder):
    """Compares what "reel startup vae" decodes with AutoencoderKLWan, on the same folder and latent."""
    out.mkdir(parents=True, exist_ok=True)
    latent, ours, theirs = (out / f"{name}.safetensors" for name in ("latent", "ours", "theirs"))
    measure = [reel, "startup", "vae", "--model-path", folder, "--latent", "3x4x6", "--output", out / "vae.json", "--tensor-output", ours, "--latent-output", latent, "--force"]
    if run(what, measure).returncode != 0 or run(f"{what}: the library's frames", [sys.executable, "-c", DECODE, GOLDENS.parent, folder, latent, theirs]).returncode != 0:
        return False
    done = run(what, [reel, "startup", "compare", "--json", ours, theirs])
    if done.returncode != 0:
        return False
    largest = json.loads(done.stdout)["max_absolute_error"]  # of values in [-1, 1]
    print(f"{'ok  ' if largest <= 1e-4 else 'FAIL'} {what}: largest difference {largest:.1e}")
    return largest <= 1e-4


def main():
    keep = tempfile.TemporaryDirectory() if len(sys.argv) < 2 else None
    work = pathlib.Path(keep.name if keep else sys.argv[1]).resolve()
    seed = int(os.environ.get("REEL_SEED") or random.randrange(1, 1 << 20))
    print(f"lantern: seed {seed}")
    ok = compare("random weights, tiny", work / "tiny", ["--seed", seed], ALL)
    ok = compare("random weights, wide", work / "wide", ["--wide", "--seed", seed], ALL) and ok
    reel = work / "reel"
    ok = run("building reel", ["go", "build", "-o", reel, "./cmd/reel"]).returncode == 0 and ok
    trained = ROOT / "lantern/checkpoint/model"
    if (trained / "model_index.json").exists():
        ok = compare("trained checkpoint", work / "trained", ["--model", trained, "--seed", seed], ALL, REEL_LANTERN_MODEL=trained) and ok
        ok = startup("start-up of the trained VAE", reel, work / "startup", trained / "vae") and ok
        ok = tokens(work / "tokens", trained / "tokenizer/tokenizer.json", seed) and ok
    else:
        print("skip trained checkpoint: there is no lantern/checkpoint/model")
    vae = work / "vae"
    if run("a VAE with the shapes of Wan 2.1", ["go", "run", "./scripts/genvae", "-seed", seed, vae]).returncode == 0:
        ok = compare("VAE with the shapes of Wan 2.1", work / "real", ["--vae", vae, "--seed", seed], "^TestVAEFolder$", REEL_LANTERN_VAE=vae) and ok
        ok = startup("start-up of that VAE", reel, work / "startup-real", vae) and ok
    else:
        ok = False
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
