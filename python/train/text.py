"""The caption side: a word-level tokenizer and the tiny UMT5 encoder.

A tokenizer.json of the simplest kind: lower case, split at white space, one id a
word, "</s>" at the end. WanPipeline pads captions with zeros to a length of its
caller's choice and lets the transformer attend to the padding; pad_bias() gives
the same attention over a short row, so that training pays for LENGTH tokens only
and the checkpoint accepts any max_sequence_length.
"""

import json

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import UMT5Config, UMT5EncoderModel

import clips

PAD, EOS, UNK = 0, 1, 2
LENGTH = 16  # tokens of a training caption with its end mark and some padding
MAX_LENGTHS = (24, 32, 64, 226, 512)  # padded lengths that training pretends to have


def tokenizer():
    vocab = {w: i for i, w in enumerate(["<pad>", "</s>", "<unk>", *clips.words()])}
    t = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    t.normalizer = normalizers.Lowercase()
    t.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", EOS)])
    t.add_special_tokens(["<pad>", "</s>", "<unk>"])
    return t


def save_tokenizer(folder):
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer().save(str(folder / "tokenizer.json"))
    config = dict(tokenizer_class="PreTrainedTokenizerFast", pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
                  model_max_length=512, clean_up_tokenization_spaces=False, padding_side="right")
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")


def encoder():
    return UMT5EncoderModel(UMT5Config(
        vocab_size=tokenizer().get_vocab_size(), d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,
        relative_attention_num_buckets=16, relative_attention_max_distance=32, dropout_rate=0.0,
        feed_forward_proj="gated-gelu", pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=PAD))


def ids(captions):
    """Token ids (captions, LENGTH), padded."""
    t = tokenizer()
    rows = [t.encode(c).ids for c in captions]
    assert max(map(len, rows)) < LENGTH, "a caption leaves no room for padding"
    return torch.tensor([r + [PAD] * (LENGTH - len(r)) for r in rows])


def embed(model, rows):
    """Caption embeddings as WanPipeline makes them: the padding is zero."""
    mask = (rows != PAD).long()
    return model(rows, mask).last_hidden_state * mask[..., None]


def pad_bias(rows, length):
    """What to add to the attention scores of a short row so that its padding weighs as much as in a row of that length."""
    pad = rows == PAD
    n = pad.sum(1, keepdim=True)
    return torch.where(pad, ((length - LENGTH + n) / n).log(), 0.0)
