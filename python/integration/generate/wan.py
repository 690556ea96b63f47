import sys
import numpy, torch
from diffusers import WanPipeline, WanTransformer3DModel
from safetensors.torch import load_file

transformer = WanTransformer3DModel.from_config(WanTransformer3DModel.load_config(sys.argv[1] + "/wan/transformer")).eval()
transformer.load_state_dict(load_file(sys.argv[1] + "/wan/transformer/diffusion_pytorch_model.safetensors"))
pipe = WanPipeline.from_pretrained(sys.argv[1] + "/wan", transformer=transformer)
frames = pipe("a red fox", negative_prompt="blurry", height=16, width=16, num_frames=5, num_inference_steps=4, guidance_scale=5.0,
              max_sequence_length=16, output_type="np", generator=torch.Generator().manual_seed(1)).frames
numpy.save(sys.argv[2], frames)
