package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
)

// maxFile bounds the JSON, in bytes; the largest vocabularies take 40 MB.
const maxFile = 64 << 20

// Tokenizer encodes prompts. It does not change, so goroutines may share it.
type Tokenizer struct {
	normalize []step
	pre       []splitter
	model     model
	raw, norm added // tokens found in the raw and in the normalised text
	before    []int // token numbers that the template puts in front
	after     []int
	pad       int
	most      int // the largest token number
}

// model turns one piece of text into token numbers.
type model interface {
	encode(ids []int, piece string) ([]int, error)
	id(token string) (int, bool)
}

// document is tokenizer.json.
type document struct {
	Added         []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Padding       *struct {
		ID int `json:"pad_id"`
	} `json:"padding"`
	Model json.RawMessage `json:"model"`
}

// Parse reads a tokenizer.json.
func Parse(data []byte) (*Tokenizer, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("tokenizer.json: %d bytes, more than the %d allowed", len(data), maxFile)
	}
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	t := &Tokenizer{pad: -1}
	for _, read := range []func(document) error{t.readModel, t.readAdded, t.readNormalizer, t.readPre, t.readPost, t.readPad} {
		if err := read(doc); err != nil {
			return nil, fmt.Errorf("tokenizer.json: %w", err)
		}
	}
	return t, nil
}

// unsupported names the field and the value that stand in the way.
func unsupported(field, value string) error {
	if len(value) > 60 {
		value = value[:60] + "…"
	}
	return fmt.Errorf("%s: %q is not supported", field, value)
}

// kind reads the "type" of a part; "" when the part is null or absent.
func kind(field string, raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return "", fmt.Errorf("%s: %w", field, err)
	}
	if head.Type == "" {
		return "", fmt.Errorf(`%s: no "type"`, field)
	}
	return head.Type, nil
}

func (t *Tokenizer) readModel(doc document) (err error) {
	name, err := kind("model", doc.Model)
	if err != nil {
		return err
	}
	switch name {
	case "WordLevel":
		t.model, t.most, err = parseWordLevel(doc.Model)
	case "Unigram":
		t.model, t.most, err = parseUnigram(doc.Model)
	default:
		return unsupported("model.type", name)
	}
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return nil
}

func (t *Tokenizer) readPad(doc document) error {
	if doc.Padding != nil {
		t.pad = doc.Padding.ID
		if t.pad < 0 {
			return fmt.Errorf("padding.pad_id: %d", t.pad)
		}
	} else if id, ok := t.ID("<pad>"); ok {
		t.pad = id
	}
	return nil
}

// readPost takes a template's single form apart: tokens, the text, tokens.
func (t *Tokenizer) readPost(doc document) error {
	name, err := kind("post_processor", doc.PostProcessor)
	if err != nil || name == "" {
		return err
	}
	if name != "TemplateProcessing" {
		return unsupported("post_processor.type", name)
	}
	var in struct {
		Single []struct {
			Sequence     *struct{ ID string } `json:"Sequence"`
			SpecialToken *struct{ ID string } `json:"SpecialToken"`
		} `json:"single"`
		Tokens map[string]struct {
			IDs []int `json:"ids"`
		} `json:"special_tokens"`
	}
	if err := json.Unmarshal(doc.PostProcessor, &in); err != nil {
		return fmt.Errorf("post_processor: %w", err)
	}
	texts := 0
	for _, p := range in.Single {
		switch {
		case p.Sequence != nil:
			texts++
		case p.SpecialToken != nil:
			token, ok := in.Tokens[p.SpecialToken.ID]
			if !ok {
				return fmt.Errorf("post_processor.special_tokens: no %q", p.SpecialToken.ID)
			}
			if texts == 0 {
				t.before = append(t.before, token.IDs...)
			} else {
				t.after = append(t.after, token.IDs...)
			}
		}
	}
	if texts != 1 {
		return fmt.Errorf("post_processor.single: the text stands in it %d times", texts)
	}
	ids := slices.Concat(t.before, t.after)
	if len(ids) > maxTemplate || slices.ContainsFunc(ids, func(id int) bool { return id < 0 }) {
		return fmt.Errorf("post_processor.special_tokens: too many, or negative numbers")
	}
	t.most = slices.Max(append(ids, t.most))
	return nil
}

// maxTemplate bounds how many tokens a template may add.
const maxTemplate = 64
