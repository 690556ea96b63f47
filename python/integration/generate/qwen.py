import sys
import numpy, torch
from diffusers import QwenImagePipeline

pipe = QwenImagePipeline.from_pretrained(sys.argv[1] + "/qwen")
images = pipe(prompt_embeds=torch.ones(1, 7, 32), negative_prompt_embeds=torch.zeros(1, 7, 32), true_cfg_scale=2.0, height=32, width=32,
              num_inference_steps=4, output_type="np", generator=torch.Generator().manual_seed(1)).images
numpy.save(sys.argv[2], images)
