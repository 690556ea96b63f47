import sys
import numpy, torch
from diffusers import StableDiffusionXLPipeline

pipe = StableDiffusionXLPipeline.from_pretrained(sys.argv[1] + "/sdxl")
images = pipe("a red fox", negative_prompt="blurry", height=32, width=32, num_inference_steps=4, output_type="np",
              generator=torch.Generator().manual_seed(1)).images
numpy.save(sys.argv[2], images)
