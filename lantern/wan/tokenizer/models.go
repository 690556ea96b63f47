package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// maxVocab bounds a vocabulary.
const maxVocab = 1 << 20

// wordLevel gives each piece the number of its word.
type wordLevel struct {
	vocab map[string]int
	unk   int // -1 when there is none
}

func parseWordLevel(raw json.RawMessage) (model, int, error) {
	var in struct {
		Vocab map[string]int `json:"vocab"`
		Unk   string         `json:"unk_token"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, 0, err
	}
	if len(in.Vocab) == 0 || len(in.Vocab) > maxVocab {
		return nil, 0, fmt.Errorf("vocab: %d words", len(in.Vocab))
	}
	m, most := &wordLevel{vocab: in.Vocab, unk: -1}, 0
	for word, id := range in.Vocab {
		if id < 0 || id > math.MaxInt32 {
			return nil, 0, fmt.Errorf("vocab: word %.40q has number %d", word, id)
		}
		most = max(most, id)
	}
	if id, ok := in.Vocab[in.Unk]; ok {
		m.unk = id
	}
	return m, most, nil
}

func (m *wordLevel) id(token string) (int, bool) {
	id, ok := m.vocab[token]
	return id, ok
}

func (m *wordLevel) encode(ids []int, piece string) ([]int, error) {
	id, ok := m.vocab[piece]
	if !ok {
		id = m.unk
	}
	if id < 0 {
		return nil, fmt.Errorf("%.60q is not in the vocabulary, which has no token for the unknown", piece)
	}
	return append(ids, id), nil
}

// unigram cuts each piece so that the sum of its tokens' scores is largest.
type unigram struct {
	root    node
	scores  []float64
	ids     map[string]int
	unk     int // -1 when there is none
	unkCost float64
}

// node is a node of the tree of all tokens, byte by byte.
type node struct {
	next map[byte]*node
	id   int // -1 where no token ends
}

// unkPenalty is how much worse than the worst token an unknown character is.
const unkPenalty = 10

func parseUnigram(raw json.RawMessage) (model, int, error) {
	var in struct {
		Vocab    []entry `json:"vocab"`
		Unk      *int    `json:"unk_id"`
		Fallback bool    `json:"byte_fallback"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, 0, err
	}
	switch {
	case len(in.Vocab) == 0 || len(in.Vocab) > maxVocab:
		return nil, 0, fmt.Errorf("vocab: %d tokens", len(in.Vocab))
	case in.Fallback:
		return nil, 0, unsupported("byte_fallback", "true")
	case in.Unk != nil && (*in.Unk < 0 || *in.Unk >= len(in.Vocab)):
		return nil, 0, fmt.Errorf("unk_id: %d is not in the vocabulary", *in.Unk)
	}
	m := &unigram{root: node{id: -1}, ids: map[string]int{}, unk: -1, unkCost: math.Inf(1)}
	if in.Unk != nil {
		m.unk = *in.Unk
	}
	for id, e := range in.Vocab {
		if len(e.token) > maxContent || math.IsNaN(e.score) {
			return nil, 0, fmt.Errorf("vocab[%d]: %d bytes, score %g", id, len(e.token), e.score)
		}
		m.scores = append(m.scores, e.score)
		m.unkCost = min(m.unkCost, e.score)
		m.ids[e.token] = id
		if e.token != "" {
			m.root.add(e.token, id)
		}
	}
	m.unkCost -= unkPenalty
	return m, len(in.Vocab) - 1, nil
}

// entry is a token and its score, [text, number] in the file.
type entry struct {
	token string
	score float64
}

func (e *entry) UnmarshalJSON(data []byte) error {
	parts := []any{&e.token, &e.score}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) != 2 {
		return errors.New("vocab: an entry is no pair of text and score")
	}
	return nil
}

func (n *node) add(token string, id int) {
	for i := range len(token) {
		if n.next == nil {
			n.next = map[byte]*node{}
		}
		child := n.next[token[i]]
		if child == nil {
			child = &node{id: -1}
			n.next[token[i]] = child
		}
		n = child
	}
	n.id = id
}

func (m *unigram) id(token string) (int, bool) {
	id, ok := m.ids[token]
	return id, ok
}

// step of the best way to a place: where its last token starts, and which.
type way struct {
	from, id int
	score    float64
}

func (m *unigram) encode(ids []int, piece string) ([]int, error) {
	best := make([]way, len(piece)+1)
	for i := range best {
		best[i].from = -1
	}
	try := func(from, to, id int, score float64) {
		if w := &best[to]; w.from < 0 || score > w.score {
			*w = way{from, id, score}
		}
	}
	for at := 0; at < len(piece); {
		_, size := utf8.DecodeRuneInString(piece[at:])
		here, single := best[at].score, false
		n := &m.root
		for i := at; i < len(piece); i++ {
			if n = n.next[piece[i]]; n == nil {
				break
			}
			if n.id >= 0 {
				try(at, i+1, n.id, m.scores[n.id]+here)
				single = single || i+1-at == size
			}
		}
		if !single {
			if m.unk < 0 {
				return nil, fmt.Errorf("%q is not in the vocabulary, which has no token for the unknown", piece[at:at+size])
			}
			try(at, at+size, m.unk, m.unkCost+here)
		}
		at += size
	}
	return append(ids, m.back(best, piece)...), nil
}

// back follows the ways from the end. Unknown neighbours become one token.
func (m *unigram) back(best []way, piece string) (out []int) {
	for end := len(piece); end > 0; {
		from, id := best[end].from, best[end].id
		if id == m.unk {
			for from > 0 && best[from].id == m.unk {
				from = best[from].from
			}
			if known, ok := m.ids[piece[from:end]]; ok {
				id = known
			}
		}
		out = append(out, id)
		end = from
	}
	slices.Reverse(out)
	return out
}
