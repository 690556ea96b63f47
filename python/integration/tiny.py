"""Tiny, randomly initialised models of real Diffusers pipelines: nothing is downloaded, nothing is meaningful."""

import string

import torch


def clip_tokenizer():
    from transformers import CLIPTokenizer

    words = ["<|startoftext|>", "<|endoftext|>"]
    words += list(string.ascii_lowercase) + [c + "</w>" for c in string.ascii_lowercase + ",."]
    return CLIPTokenizer(vocab={w: i for i, w in enumerate(words)}, merges=[], model_max_length=77)


def t5_tokenizer():
    from transformers import T5TokenizerFast

    vocab = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    vocab += [(c, -3.0) for c in string.ascii_letters + ",."]
    return T5TokenizerFast(vocab=vocab, extra_ids=0, model_max_length=64)


def clip_text(projection):
    from transformers import CLIPTextConfig, CLIPTextModelWithProjection

    config = CLIPTextConfig(
        bos_token_id=0, eos_token_id=1, pad_token_id=1, vocab_size=64, hidden_size=32, intermediate_size=37,
        num_attention_heads=4, num_hidden_layers=3, projection_dim=projection, max_position_embeddings=77,
    )
    return CLIPTextModelWithProjection(config)


T5 = dict(vocab_size=64, d_model=32, d_ff=37, d_kv=8, num_heads=4, num_layers=2, is_encoder_decoder=False, use_cache=False)


def image_pipeline():
    """Stable Diffusion 3: two CLIP encoders and T5, an MMDiT, a convolutional VAE. Guidance doubles the batch."""
    from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, SD3Transformer2DModel, StableDiffusion3Pipeline
    from transformers import T5Config, T5EncoderModel

    torch.manual_seed(0)
    pipe = StableDiffusion3Pipeline(
        transformer=SD3Transformer2DModel(
            sample_size=16, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=8, num_attention_heads=4,
            joint_attention_dim=32, caption_projection_dim=32, pooled_projection_dim=64, out_channels=4,
        ),
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=AutoencoderKL(
            sample_size=32, in_channels=3, out_channels=3, block_out_channels=(8, 16), layers_per_block=1,
            latent_channels=4, norm_num_groups=4, use_quant_conv=False, use_post_quant_conv=False,
            shift_factor=0.0609, scaling_factor=1.5035,
            down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
        ),
        text_encoder=clip_text(32), tokenizer=clip_tokenizer(),
        text_encoder_2=clip_text(32), tokenizer_2=clip_tokenizer(),
        text_encoder_3=T5EncoderModel(T5Config(**T5)), tokenizer_3=t5_tokenizer(),
    )
    call = dict(
        prompt="a red fox, in snow", negative_prompt="blurry", height=32, width=32, num_inference_steps=4,
        guidance_scale=5.0, max_sequence_length=16, output_type="np",
    )
    return pipe, call


def video_pipeline():
    """Wan: UMT5, a 3-D DiT, a causal 3-D VAE. Guidance calls the transformer twice in each step."""
    from diffusers import AutoencoderKLWan, UniPCMultistepScheduler, WanPipeline, WanTransformer3DModel
    from transformers import UMT5Config, UMT5EncoderModel

    torch.manual_seed(0)
    pipe = WanPipeline(
        transformer=WanTransformer3DModel(
            patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=12, in_channels=16, out_channels=16,
            text_dim=32, freq_dim=32, ffn_dim=32, num_layers=2, cross_attn_norm=True,
            qk_norm="rms_norm_across_heads", rope_max_seq_len=32,
        ),
        scheduler=UniPCMultistepScheduler(prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0),
        vae=AutoencoderKLWan(
            base_dim=3, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1, temperal_downsample=[False, True, True],
        ),
        text_encoder=UMT5EncoderModel(UMT5Config(**T5)), tokenizer=t5_tokenizer(),
    )
    call = dict(
        prompt="a red fox, in snow", negative_prompt="blurry", height=16, width=16, num_frames=5,
        num_inference_steps=4, guidance_scale=5.0, max_sequence_length=16, output_type="np",
    )
    return pipe, call


class Block(torch.nn.Module):
    """A plain residual block, to have a trace that owes nothing to Diffusers."""

    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


class Plain(torch.nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.patch = torch.nn.Conv2d(4, width, 2, stride=2)
        self.blocks = torch.nn.ModuleList(Block(width) for _ in range(3))
        self.head = torch.nn.Linear(width, 16)

    def forward(self, x):
        h = self.patch(x).flatten(2).transpose(1, 2)
        for block in self.blocks:
            h = block(h)
        return torch.nn.functional.pixel_shuffle(self.head(h).transpose(1, 2).unflatten(2, (8, 8)), 2)
