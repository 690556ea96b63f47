package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxParts bounds how many normalisers or splitters a file may chain.
const maxParts = 64

// step is a normaliser.
type step func(string) string

// splitter appends the pieces of text to out. first says that text begins the
// prompt.
type splitter func(out []string, text string, first bool) []string

func (t *Tokenizer) readNormalizer(doc document) (err error) {
	t.normalize, err = normalizers("normalizer", doc.Normalizer, nil)
	if err != nil {
		return err
	}
	for i := range t.norm { // what is looked for in normalised text is normalised too
		for _, s := range t.normalize {
			t.norm[i].form = s(t.norm[i].form)
		}
	}
	return nil
}

func normalizers(field string, raw json.RawMessage, out []step) ([]step, error) {
	name, err := kind(field, raw)
	if err != nil || name == "" {
		return out, err
	}
	var in struct {
		Normalizers []json.RawMessage `json:"normalizers"`
		Left        bool              `json:"strip_left"`
		Right       bool              `json:"strip_right"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	switch name {
	case "Lowercase":
		return append(out, lower), nil
	case "Strip":
		return append(out, func(s string) string {
			if in.Left {
				s = strings.TrimLeftFunc(s, space)
			}
			if in.Right {
				s = strings.TrimRightFunc(s, space)
			}
			return s
		}), nil
	case "Sequence":
		for i, n := range in.Normalizers {
			if len(out) > maxParts {
				return nil, fmt.Errorf("%s: more than %d parts", field, maxParts)
			}
			if out, err = normalizers(fmt.Sprintf("%s.normalizers[%d]", field, i), n, out); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, unsupported(field+".type", name)
}

// lower maps each character by itself: a sigma at the end of a word is like any
// other. U+0130 is the one character whose small form takes two.
func lower(s string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r == 'İ' {
			return r
		}
		return unicode.ToLower(r)
	}, s), "İ", "i\u0307")
}

// space is Unicode's property White_Space.
func space(r rune) bool { return unicode.Is(unicode.White_Space, r) }

// word is what \w matches in the regular expressions of the library.
func word(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)
}

func (t *Tokenizer) readPre(doc document) (err error) {
	t.pre, err = splitters("pre_tokenizer", doc.PreTokenizer, nil)
	return err
}

func splitters(field string, raw json.RawMessage, out []splitter) ([]splitter, error) {
	name, err := kind(field, raw)
	if err != nil || name == "" {
		return out, err
	}
	var in struct {
		Parts       []json.RawMessage `json:"pretokenizers"`
		Replacement string            `json:"replacement"`
		Prepend     string            `json:"prepend_scheme"`
		AddPrefix   *bool             `json:"add_prefix_space"`
		Split       *bool             `json:"split"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	switch name {
	case "Whitespace":
		return append(out, words), nil
	case "WhitespaceSplit":
		return append(out, func(out []string, s string, _ bool) []string {
			return append(out, strings.FieldsFunc(s, space)...)
		}), nil
	case "Metaspace":
		if utf8.RuneCountInString(in.Replacement) != 1 {
			return nil, unsupported(field+".replacement", in.Replacement)
		}
		if in.Prepend == "" {
			in.Prepend = "always"
			if in.AddPrefix != nil && !*in.AddPrefix { // older files
				in.Prepend = "never"
			}
		}
		m := metaspace{mark: in.Replacement, scheme: in.Prepend, split: in.Split == nil || *in.Split}
		if m.scheme != "always" && m.scheme != "first" && m.scheme != "never" {
			return nil, unsupported(field+".prepend_scheme", m.scheme)
		}
		return append(out, m.pieces), nil
	case "Sequence":
		for i, p := range in.Parts {
			if len(out) > maxParts {
				return nil, fmt.Errorf("%s: more than %d parts", field, maxParts)
			}
			if out, err = splitters(fmt.Sprintf("%s.pretokenizers[%d]", field, i), p, out); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, unsupported(field+".type", name)
}

// words cuts into runs of word characters and runs of others, without the
// white space.
func words(out []string, s string, _ bool) []string {
	const none, letters, marks = 0, 1, 2
	at, in := 0, none
	for i, r := range s {
		now := marks
		if word(r) {
			now = letters
		} else if space(r) {
			now = none
		}
		if now != in {
			if in != none {
				out = append(out, s[at:i])
			}
			at, in = i, now
		}
	}
	if in != none {
		out = append(out, s[at:])
	}
	return out
}

// metaspace writes a mark for each blank, and one in front, and cuts before
// each mark.
type metaspace struct {
	mark, scheme string
	split        bool
}

func (m metaspace) pieces(out []string, s string, first bool) []string {
	s = strings.ReplaceAll(s, " ", m.mark)
	if (m.scheme == "always" || m.scheme == "first" && first) && !strings.HasPrefix(s, m.mark) {
		s = m.mark + s
	}
	if !m.split {
		return append(out, s)
	}
	for at := 0; at < len(s); {
		_, n := utf8.DecodeRuneInString(s[at:])
		end := strings.Index(s[at+n:], m.mark)
		if end < 0 {
			return append(out, s[at:])
		}
		out = append(out, s[at:at+n+end])
		at += n + end
	}
	return out
}
