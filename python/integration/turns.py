"""Times whole calls of a pipeline with what Reel wrapped and with the originals, by turns.

    turns.py TURNS [LANTERN]     a tiny pipeline, or the one in this folder; prints seconds with, and without
"""
import sys
import time

import torch

if len(sys.argv) > 2:
    from diffusers import WanPipeline, WanTransformer3DModel
    from safetensors.torch import load_file

    model = sys.argv[2] + "/transformer"
    transformer = WanTransformer3DModel.from_config(WanTransformer3DModel.load_config(model)).eval()
    transformer.load_state_dict(load_file(model + "/diffusion_pytorch_model.safetensors"))
    pipe = WanPipeline.from_pretrained(sys.argv[2], transformer=transformer)
    call = dict(prompt="a red ball", height=64, width=64, num_frames=17, num_inference_steps=4, guidance_scale=3.0, output_type="np", max_sequence_length=32)
else:
    import tiny

    pipe, call = tiny.video_pipeline()
pipe.set_progress_bar_config(disable=True)
classes = {c for part in [pipe, *pipe.components.values()] if part is not None for c in type(part).__mro__}
hooks = [(c, name, f, f.__wrapped__) for c in classes for name, f in vars(c).items() if getattr(f, "__reel__", False)]
assert len(hooks) >= 5, hooks
for turn in range(int(sys.argv[1])):
    took = {}
    for on in (turn % 2 == 0, turn % 2 == 1):
        for c, name, f, original in hooks:
            setattr(c, name, f if on else original)
        began = time.perf_counter()
        pipe(**call, generator=torch.Generator().manual_seed(1))
        took[on] = time.perf_counter() - began
    print(took[True], took[False], flush=True)
