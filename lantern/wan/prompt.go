package wan

import (
	"fmt"
	"html"
	"strings"
	"unicode"

	"reel/lantern/nn"
)

// CleanPrompt writes out HTML entities and makes each run of white space one
// blank, as Diffusers' WanPipeline does. It does not repair broken encodings.
func CleanPrompt(text string) string {
	text = html.UnescapeString(html.UnescapeString(text))
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f // what Python's \s matches
	}), " ")
}

// EncodePrompt gives what the transformer attends to, [1, n, TextDim]: the
// states of the prompt's tokens, then zeros up to n, as WanPipeline does. A long
// prompt is cut, and keeps its end token. The empty prompt is an ordinary one.
func (p *Pipeline) EncodePrompt(o *nn.Ops, prompt string, n int) nn.Tensor {
	ids, length, err := p.Tokenizer.EncodeTo(CleanPrompt(prompt), n)
	if err != nil {
		o.Fail(fmt.Errorf("wan: prompt: %w", err))
		return nn.Tensor{}
	}
	s := o.Scope()
	defer s.Close()
	states := p.TextEncoder.Encode(s, ids[:length])
	if length < n {
		states = s.Concat(1, states, s.Zeros(1, n-length, p.TextEncoder.Config.DModel))
	}
	return s.Keep(states)
}
