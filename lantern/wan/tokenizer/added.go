package tokenizer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// addedToken is a token that is found in the text before the model sees it.
type addedToken struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	form       string // what is looked for
}

// added is the tokens that are looked for together.
type added []addedToken

// piece is a part of a text: an added token's number, or text when token < 0.
type piece struct {
	text  string
	token int
}

const (
	maxAdded   = 4096
	maxContent = 512 // bytes of a token
)

func (t *Tokenizer) readAdded(doc document) error {
	if len(doc.Added) > maxAdded {
		return fmt.Errorf("added_tokens: %d, more than the %d allowed", len(doc.Added), maxAdded)
	}
	for i, a := range doc.Added {
		if a.ID < 0 || len(a.Content) > maxContent {
			return fmt.Errorf("added_tokens[%d]: number %d, %d bytes", i, a.ID, len(a.Content))
		}
		if a.Content == "" {
			continue
		}
		if id, ok := t.model.id(a.Content); ok {
			a.ID = id
		}
		a.form = a.Content
		t.most = max(t.most, a.ID)
		if a.Normalized {
			t.norm = append(t.norm, a)
		} else {
			t.raw = append(t.raw, a)
		}
	}
	return nil
}

// longest finds the longest token that s begins with.
func (a added) longest(s string) (best addedToken, ok bool) {
	for _, tok := range a {
		if tok.form != "" && strings.HasPrefix(s, tok.form) && len(tok.form) > len(best.form) {
			best, ok = tok, true
		}
	}
	return best, ok
}

// find cuts s at its tokens, from the left, the longest first.
func (a added) find(s string) (out []piece) {
	if len(a) == 0 {
		return []piece{{s, -1}}
	}
	done := 0
	for at := 0; at < len(s); {
		tok, ok := a.longest(s[at:])
		if !ok {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
			continue
		}
		start, stop := at, at+len(tok.form)
		at = stop
		if tok.SingleWord && !alone(s, start, stop) {
			continue
		}
		if tok.LStrip {
			start = max(done, len(strings.TrimRightFunc(s[:start], space)))
		}
		if tok.RStrip {
			stop = len(s) - len(strings.TrimLeftFunc(s[stop:], space))
		}
		if start > done {
			out = append(out, piece{s[done:start], -1})
		}
		out = append(out, piece{"", tok.ID})
		done = stop
		at = max(at, stop)
	}
	if done < len(s) || len(out) == 0 {
		out = append(out, piece{s[done:], -1})
	}
	return out
}

// alone says that no word character touches s[start:stop].
func alone(s string, start, stop int) bool {
	before, n := utf8.DecodeLastRuneInString(s[:start])
	after, m := utf8.DecodeRuneInString(s[stop:])
	return (n == 0 || !word(before)) && (m == 0 || !word(after))
}
