"""Write the trained weights as a Diffusers folder in half precision.

    python export.py --vae /tmp/train/vae/vae.pt --dit /tmp/train/dit/dit.pt --out ../../lantern/checkpoint/model

Diffusers' WanPipeline.from_pretrained reads the folder; so does Lantern.
"""

import argparse
import json
import shutil
from pathlib import Path

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, __version__

import batches
import denoiser
import latents
import text

INDEX = {
    "_class_name": "WanPipeline",
    "_diffusers_version": __version__,
    "boundary_ratio": None,
    "expand_timesteps": False,
    "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"],
    "text_encoder": ["transformers", "UMT5EncoderModel"],
    "tokenizer": ["transformers", "PreTrainedTokenizerFast"],
    "transformer": ["diffusers", "WanTransformer3DModel"],
    "transformer_2": [None, None],
    "vae": ["diffusers", "AutoencoderKLWan"],
}


def export(vae_file, dit_file, out):
    """Writes the folder beside out and swaps it in."""
    state = torch.load(dit_file, weights_only=True)
    dit, encoder, vae = denoiser.build(), text.encoder(), latents.load_vae(vae_file, state["mean"], state["std"])
    dit.load_state_dict(state["dit"])
    encoder.load_state_dict(state["encoder"])
    new = out.with_name(out.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    for name, model in (("transformer", dit), ("vae", vae), ("text_encoder", encoder)):
        model.half().save_pretrained(new / name)
        config = new / name / "config.json"
        kept = {k: v for k, v in json.loads(config.read_text()).items() if k not in ("_name_or_path", "transformers_version")}
        config.write_text(json.dumps(kept, indent=2) + "\n")
    FlowMatchEulerDiscreteScheduler(shift=batches.SHIFT).save_pretrained(new / "scheduler")
    text.save_tokenizer(new / "tokenizer")
    (new / "model_index.json").write_text(json.dumps(INDEX, indent=2) + "\n")
    for p in new.rglob("*.safetensors"):
        p.chmod(0o644)
    shutil.rmtree(out, ignore_errors=True)
    new.rename(out)
    total = sum(p.stat().st_size for p in out.rglob("*") if p.is_file())
    print(f"{out}: {total:,} bytes, transformer step {state['step']}")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--vae", type=Path, required=True)
    args.add_argument("--dit", type=Path, required=True)
    args.add_argument("--out", type=Path, required=True)
    a = args.parse_args()
    export(a.vae, a.dit, a.out)


if __name__ == "__main__":
    main()
