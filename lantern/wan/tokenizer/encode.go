package tokenizer

import (
	"fmt"
	"strings"
)

// maxText bounds a prompt, in bytes.
const maxText = 1 << 20

// Encode gives the token numbers of text with those that the template adds, as
// many as there are. Bytes that are no UTF-8 count as U+FFFD.
func (t *Tokenizer) Encode(text string) ([]int, error) {
	ids, err := t.content(text)
	if err != nil {
		return nil, err
	}
	return t.frame(ids), nil
}

// EncodeTo gives exactly n token numbers, and how many of them are not padding:
// a long text loses its end, but not what the template adds; a short one is
// padded.
func (t *Tokenizer) EncodeTo(text string, n int) (ids []int, length int, err error) {
	room := n - len(t.before) - len(t.after)
	if room < 0 {
		return nil, 0, fmt.Errorf("tokenizer: %d tokens are fewer than the template adds", n)
	}
	ids, err = t.content(text)
	if err != nil {
		return nil, 0, err
	}
	ids = t.frame(ids[:min(len(ids), room)])
	length = len(ids)
	if length < n && t.pad < 0 {
		return nil, 0, fmt.Errorf("tokenizer: there is no padding token; WithPad names one")
	}
	for len(ids) < n {
		ids = append(ids, t.pad)
	}
	return ids, length, nil
}

// ID finds the number of a token, of the model's or an added one.
func (t *Tokenizer) ID(token string) (id int, ok bool) {
	for _, a := range []added{t.raw, t.norm} {
		for _, tok := range a {
			if tok.Content == token {
				return tok.ID, true
			}
		}
	}
	return t.model.id(token)
}

// MaxID gives the largest number that Encode can return.
func (t *Tokenizer) MaxID() int { return max(t.most, t.pad) }

// WithPad gives the tokenizer that pads with the token, as transformers' own
// tokenizer_config.json can demand.
func (t *Tokenizer) WithPad(token string) (*Tokenizer, error) {
	id, ok := t.ID(token)
	if !ok {
		return nil, fmt.Errorf("tokenizer: padding token %q is not in the vocabulary", token)
	}
	c := *t
	c.pad = id
	return &c, nil
}

func (t *Tokenizer) frame(ids []int) []int {
	out := make([]int, 0, len(t.before)+len(ids)+len(t.after))
	return append(append(append(out, t.before...), ids...), t.after...)
}

// content encodes the text alone: added tokens stand for themselves, what is
// between them is normalised, split and given to the model.
func (t *Tokenizer) content(text string) (ids []int, err error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("tokenizer: a text of %d bytes, more than the %d allowed", len(text), maxText)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	first := true
	for _, p := range t.raw.find(text) {
		if p.token >= 0 {
			ids = append(ids, p.token)
			first = false
			continue
		}
		whole := p.text
		for _, step := range t.normalize {
			whole = step(whole)
		}
		for _, q := range t.norm.find(whole) {
			if q.token >= 0 {
				ids = append(ids, q.token)
			} else if ids, err = t.words(ids, q.text, first); err != nil {
				return nil, err
			}
			first = false
		}
	}
	return ids, nil
}

// words splits a piece of normalised text and encodes what comes out.
func (t *Tokenizer) words(ids []int, text string, first bool) ([]int, error) {
	pieces := []string{text}
	for _, split := range t.pre {
		var next []string
		for i, p := range pieces {
			if p != "" { // an empty text gets no mark in front either
				next = split(next, p, first && i == 0)
			}
		}
		pieces = next
	}
	var err error
	for _, p := range pieces {
		if p == "" {
			continue
		}
		if ids, err = t.model.encode(ids, p); err != nil {
			return nil, fmt.Errorf("tokenizer: %w", err)
		}
	}
	return ids, nil
}
