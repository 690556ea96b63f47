import sys
import numpy, PIL.Image, torch
from diffusers import QwenImageEditPipeline

pipe, mask = QwenImageEditPipeline.from_pretrained(sys.argv[1] + "/qwen_edit", processor=None), torch.ones(1, 7, dtype=torch.long)
images = pipe(PIL.Image.new("RGB", (64, 64)), prompt_embeds=torch.ones(1, 7, 32), prompt_embeds_mask=mask, negative_prompt_embeds=torch.zeros(1, 7, 32),
              negative_prompt_embeds_mask=mask, true_cfg_scale=2.0, height=32, width=32, num_inference_steps=2, output_type="np",
              generator=torch.Generator().manual_seed(1)).images
numpy.save(sys.argv[2], images)
