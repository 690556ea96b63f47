#!/usr/bin/env python3
"""Writes what Hugging Face's tokenizers library makes of many texts, for lantern/wan/tokenizer.

    tokenizer_goldens.py [--tokenizer FILE] [--seed N] [FOLDER]

With --tokenizer, that file alone is used instead of those made here. FOLDER (default: lantern/wan/tokenizer/testdata) gets one file per tokenizer: {"tokenizer": tokenizer.json, "cases":
[{"text", "ids", "fixed"}]}, where fixed are the numbers truncated and padded to FIXED, as WanPipeline asks for them.
"""

import argparse
import json
import pathlib
import random

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

FIXED = 12
WORDS = "a the red blue green circle square triangle moving right left up down on background , . - é ²".split()
PIECES = ["▁", "a", "b", "c", "e", "l", "r", "i", "d", "u", "▁red", "▁blue", "▁a", "cir", "cle", "▁circle", "▁cir", "ed", "▁▁", "re", "ar", "é", "▁on", "on"]


def texts(seed):
    rng = random.Random(seed)
    out = [
        "", " ", "a red circle moving right on a blue background", "A RED Circle, moving RIGHT.", "  a   red\tcircle\n",
        "purple", "a purple red", "red-blue", "unknown unknown words", "ÉÉ é²", "İstanbul ΑΣ ẞ ß ǅ", "naïve café 日本語 🎉🎉",
        "a\u00a0red\u3000circle\u2028x\u200bred\u200dblue\u2060", "e\u0301", "\u0000a\u0007", "▁a ▁▁ red", "</s>", "a</s>red", "a </s> red",
        "<pad><unk></s>", "<s> </S>", "hi <extra> there", "hi<extra>there", "  <extra>  red", "<EXTRA> red", "SOLO a solo", "solos solo", "a_b red_blue x1",
        "solo<extra>solo</s>solo", "<both>  a", "a  <both>", "a" * 300, "ab" * 150, "red " * 100, " " * 300, "🎉" * 150, "xyzzy" * 60, "\u0301" * 100,
        "redcircle arcle edarb", "\ufffd red", "٣ ௧ ⅷ ª", "\ufb01 \uff21 \U0001d400", "a‿b a\u00adb",
    ]
    alphabet = "ab cdélr▁<>/s,.\u0301İ🎉"
    out += ["".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 40))) for _ in range(60)]
    return out


def finish(tok, eos):
    tok.post_processor = processors.TemplateProcessing(single=f"$A {eos}", pair=f"$A {eos} $B {eos}", special_tokens=[(eos, tok.token_to_id(eos))])
    return tok


def word_level():
    vocab = {w: i for i, w in enumerate(["<pad>", "</s>", "<unk>"] + WORDS)}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.add_special_tokens(["<pad>", "</s>", "<unk>"])
    return finish(tok, "</s>")


def word_level_split():
    vocab = {w: i for i, w in enumerate(["<pad>", "</s>", "<unk>"] + WORDS)}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tok.normalizer = normalizers.Sequence([normalizers.Strip(), normalizers.Lowercase()])
    tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Whitespace()])
    tok.add_special_tokens(["</s>"])
    tok.add_tokens([
        AddedToken("<extra>", lstrip=True, normalized=False), AddedToken("solo", single_word=True, normalized=True),
        AddedToken("<both>", lstrip=True, rstrip=True, normalized=False), AddedToken("<S>", normalized=True),
    ])
    return finish(tok, "</s>")


def unigram(scheme, split):
    rng = random.Random(3)
    vocab = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(p, -1.0 - 0.25 * rng.randrange(30)) for p in PIECES]
    tok = Tokenizer(models.Unigram(vocab, unk_id=2, byte_fallback=False))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
    tok.add_special_tokens(["<pad>", "</s>", "<unk>"])
    tok.add_tokens([AddedToken("<extra>", rstrip=True, normalized=False)])
    return finish(tok, "</s>")


def bare():
    vocab = [("<unk>", 0.0), ("ab", -1.0), ("a", -2.0), ("b", -1.5), ("abc", -6.0), ("c", -4.0)]
    return Tokenizer(models.Unigram(vocab, unk_id=0, byte_fallback=False))


ALL = {
    "wordlevel": word_level, "wordlevel-split": word_level_split, "unigram": lambda: unigram("always", True),
    "unigram-first": lambda: unigram("first", False), "unigram-never": lambda: unigram("never", True), "unigram-bare": bare,
}


def write(path, tok, seed):
    doc = json.loads(tok.to_str())
    cases = [{"text": t, "ids": tok.encode(t).ids} for t in texts(seed)]
    tok.enable_truncation(FIXED)
    tok.enable_padding(length=FIXED, pad_id=0)
    for c in cases:
        c["fixed"] = tok.encode(c["text"]).ids
    path.write_text(json.dumps({"tokenizer": doc, "cases": cases}, ensure_ascii=False, separators=(",", ":")) + "\n")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--tokenizer")
    args.add_argument("--seed", type=int, default=5)
    args.add_argument("out", nargs="?")
    args = args.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(args.out) if args.out else root / "lantern/wan/tokenizer/testdata"
    out.mkdir(parents=True, exist_ok=True)
    if args.tokenizer:
        write(out / "file.json", Tokenizer.from_file(args.tokenizer), args.seed)
        return
    for name, make in ALL.items():
        write(out / f"{name}.json", make(), args.seed)


if __name__ == "__main__":
    main()
