// Package tokenizer turns prompts into token numbers as Hugging Face's tokenizers
// library does, for the part of tokenizer.json that small text encoders need:
// WordLevel and Unigram models, Lowercase and Strip, splitting at white space
// and Metaspace, added tokens, and a template that adds tokens at the ends.
//
// What a tokenizer.json asks for beyond that is refused with the name of the
// field; nothing is guessed. The file's own "truncation" and "padding" do not
// count, as in transformers: the caller states the length. Training and
// decoding are not here.
package tokenizer
