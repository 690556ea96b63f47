import sys
import numpy, torch
from diffusers import LTXPipeline
from diffusers.pipelines.ltx import LTXLatentUpsamplePipeline

pipe, up = LTXPipeline.from_pretrained(sys.argv[1] + "/ltx"), LTXLatentUpsamplePipeline.from_pretrained(sys.argv[1] + "/ltx_upsample")
how = dict(prompt="a red fox", negative_prompt="blurry", num_frames=9, max_sequence_length=16, generator=torch.Generator().manual_seed(1))
small = pipe(height=32, width=32, num_inference_steps=4, output_type="latent", **how).frames
large = up(latents=pipe._unpack_latents(small, 3, 8, 8), height=32, width=32, output_type="latent").frames
numpy.save(sys.argv[2], pipe(height=64, width=64, num_inference_steps=3, latents=pipe._pack_latents(large), output_type="np", **how).frames)
