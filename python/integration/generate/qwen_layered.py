import sys
import numpy, PIL.Image, torch
from diffusers import QwenImageLayeredPipeline

pipe, mask = QwenImageLayeredPipeline.from_pretrained(sys.argv[1] + "/qwen_layered", processor=None), torch.ones(1, 7, dtype=torch.long)
layers = pipe(PIL.Image.new("RGBA", (64, 64)), "a red fox", prompt_embeds=torch.ones(1, 7, 32), prompt_embeds_mask=mask,
              negative_prompt_embeds=torch.zeros(1, 7, 32), negative_prompt_embeds_mask=mask, true_cfg_scale=2.0, layers=1, num_inference_steps=2,
              output_type="np", generator=torch.Generator().manual_seed(1)).images
numpy.save(sys.argv[2], layers[0])
