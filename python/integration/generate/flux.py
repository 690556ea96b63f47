import sys
import numpy, torch
from diffusers import FluxPipeline

pipe = FluxPipeline.from_pretrained(sys.argv[1] + "/flux")
images = pipe("a red fox", height=8, width=8, num_inference_steps=4, max_sequence_length=16, output_type="np",
              generator=torch.Generator().manual_seed(1)).images
numpy.save(sys.argv[2], images)
