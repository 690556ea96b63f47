"""Saves tiny, randomly initialised pipelines as folders that from_pretrained loads.

    zoo.py FOLDER [NAME...]

What the installed Diffusers does not have is skipped, with a line that says so. The
scripts in generate/ run them as users do.
"""

import pathlib
import sys

import torch

import tiny


def flux():
    from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel
    from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel

    clip = CLIPTextConfig(bos_token_id=0, eos_token_id=1, pad_token_id=1, vocab_size=64, hidden_size=32, intermediate_size=37,
                          num_attention_heads=4, num_hidden_layers=2, projection_dim=32, max_position_embeddings=77)
    return FluxPipeline(
        transformer=FluxTransformer2DModel(
            patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2,
            joint_attention_dim=32, pooled_projection_dim=32, axes_dims_rope=(4, 4, 8)),
        scheduler=FlowMatchEulerDiscreteScheduler(), vae=image_vae(1),
        text_encoder=CLIPTextModel(clip), tokenizer=tiny.clip_tokenizer(),
        text_encoder_2=T5EncoderModel(T5Config(**tiny.T5)), tokenizer_2=tiny.t5_tokenizer())


def image_vae(channels):
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        sample_size=32, in_channels=3, out_channels=3, block_out_channels=(4,), layers_per_block=1, latent_channels=channels,
        norm_num_groups=1, use_quant_conv=False, use_post_quant_conv=False, shift_factor=0.0609, scaling_factor=1.5035)


def sdxl():
    from diffusers import AutoencoderKL, HeunDiscreteScheduler, StableDiffusionXLPipeline, UNet2DConditionModel

    return StableDiffusionXLPipeline(
        unet=UNet2DConditionModel(
            block_out_channels=(8, 16), layers_per_block=1, sample_size=16, in_channels=4, out_channels=4, norm_num_groups=2,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
            attention_head_dim=(2, 4), use_linear_projection=True, addition_embed_type="text_time", addition_time_embed_dim=8,
            transformer_layers_per_block=(1, 1), projection_class_embeddings_input_dim=80, cross_attention_dim=64),
        scheduler=HeunDiscreteScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear"),
        vae=AutoencoderKL(
            block_out_channels=(8, 16), in_channels=3, out_channels=3, latent_channels=4, norm_num_groups=4, sample_size=32,
            down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2),
        text_encoder=tiny.clip_text(32), tokenizer=tiny.clip_tokenizer(),
        text_encoder_2=tiny.clip_text(32), tokenizer_2=tiny.clip_tokenizer())


def sd3():
    return tiny.image_pipeline()[0]


def wan():
    return tiny.video_pipeline()[0]


def qwen_parts(**vae):
    from diffusers import AutoencoderKLQwenImage, FlowMatchEulerDiscreteScheduler, QwenImageTransformer2DModel
    from transformers import UMT5Config, UMT5EncoderModel

    layered = bool(vae)
    return dict(
        transformer=QwenImageTransformer2DModel(
            patch_size=2, in_channels=64, out_channels=16, num_layers=1, attention_head_dim=16, num_attention_heads=2,
            joint_attention_dim=32, axes_dims_rope=(4, 6, 6), use_additional_t_cond=layered, use_layer3d_rope=layered),
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=AutoencoderKLQwenImage(base_dim=2, z_dim=16, dim_mult=[1] * 5, num_res_blocks=1, temperal_downsample=[False, True, True, False], **vae),
        # The scripts bring their embeddings: only the encoder's type is asked for.
        text_encoder=UMT5EncoderModel(UMT5Config(**tiny.T5)), tokenizer=tiny.t5_tokenizer())


def qwen():
    from diffusers import QwenImagePipeline

    return QwenImagePipeline(**qwen_parts())


def qwen_edit():
    from diffusers import QwenImageEditPipeline

    return QwenImageEditPipeline(**qwen_parts(), processor=None)


def qwen_layered():
    from diffusers import QwenImageLayeredPipeline

    return QwenImageLayeredPipeline(**qwen_parts(input_channels=4), processor=None)


def ltx():
    from diffusers import AutoencoderKLLTXVideo, FlowMatchEulerDiscreteScheduler, LTXPipeline, LTXVideoTransformer3DModel
    from transformers import T5Config, T5EncoderModel

    return LTXPipeline(
        transformer=LTXVideoTransformer3DModel(
            in_channels=8, out_channels=8, num_attention_heads=2, attention_head_dim=8, cross_attention_dim=16, num_layers=1, caption_channels=32),
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=AutoencoderKLLTXVideo(
            latent_channels=8, block_out_channels=(8, 8, 8, 8), decoder_block_out_channels=(8, 8, 8, 8), layers_per_block=(1, 1, 1, 1, 1),
            decoder_layers_per_block=(1, 1, 1, 1, 1), spatio_temporal_scaling=(True, True, False, False),
            decoder_spatio_temporal_scaling=(True, True, False, False), patch_size=1, encoder_causal=True, decoder_causal=False),
        text_encoder=T5EncoderModel(T5Config(**tiny.T5)), tokenizer=tiny.t5_tokenizer())


def ltx_upsample():
    from diffusers.pipelines.ltx import LTXLatentUpsamplePipeline
    from diffusers.pipelines.ltx.modeling_latent_upsampler import LTXLatentUpsamplerModel

    return LTXLatentUpsamplePipeline(
        vae=ltx().vae, latent_upsampler=LTXLatentUpsamplerModel(in_channels=8, mid_channels=32, num_blocks_per_stage=1))


ALL = {f.__name__: f for f in (flux, sdxl, sd3, wan, qwen, qwen_edit, qwen_layered, ltx, ltx_upsample)}


def main(args):
    folder = pathlib.Path(args[0])
    torch.set_num_threads(1)
    for name in args[1:] or ALL:
        torch.manual_seed(0)
        try:
            pipe = ALL[name]()
        except ImportError as err:
            print(f"skip {name}: this Diffusers does not have it: {err}")
            continue
        pipe.save_pretrained(folder / name)
        print(f"{name}: written")


if __name__ == "__main__":
    main(sys.argv[1:])
