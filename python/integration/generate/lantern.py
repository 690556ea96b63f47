import sys
import numpy, torch
from diffusers import WanPipeline, WanTransformer3DModel
from safetensors.torch import load_file

transformer = WanTransformer3DModel.from_config(WanTransformer3DModel.load_config(sys.argv[1] + "/lantern/transformer")).eval()
transformer.load_state_dict(load_file(sys.argv[1] + "/lantern/transformer/diffusion_pytorch_model.safetensors"))
pipe = WanPipeline.from_pretrained(sys.argv[1] + "/lantern", transformer=transformer)
frames = pipe("a red ball", height=48, width=48, num_frames=5, num_inference_steps=4, guidance_scale=3.0, output_type="np",
              max_sequence_length=32, generator=torch.Generator().manual_seed(1)).frames
numpy.save(sys.argv[2], frames)
