import sys
import numpy, torch
from diffusers import StableDiffusion3Pipeline

pipe = StableDiffusion3Pipeline.from_pretrained(sys.argv[1] + "/sd3")
images = pipe("a red fox", negative_prompt="blurry", height=32, width=32, num_inference_steps=4, guidance_scale=5.0, max_sequence_length=16,
              output_type="np", generator=torch.Generator().manual_seed(1)).images
numpy.save(sys.argv[2], images)
