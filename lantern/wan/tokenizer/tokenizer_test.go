package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type goldens struct {
	Tokenizer json.RawMessage
	Cases     []struct {
		Text       string
		IDs, Fixed []int
	}
}

func load(t testing.TB, name string) (*Tokenizer, goldens) {
	t.Helper()
	var g goldens
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	tok, err := Parse(g.Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	return tok, g
}

// TestGoldens compares with what the tokenizers library makes of the same file
// and text (python/goldens/tokenizer_goldens.py).
func TestGoldens(t *testing.T) {
	dir := os.Getenv("REEL_LANTERN_TOKENIZERS")
	if dir == "" {
		dir = "testdata"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens in %s: %v", dir, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			tok, g := load(t, name)
			if len(g.Cases) < 50 {
				t.Fatalf("%d cases", len(g.Cases))
			}
			for _, c := range g.Cases {
				ids, err := tok.Encode(c.Text)
				if err != nil || !slices.Equal(ids, c.IDs) {
					t.Errorf("%.60q\ngot  %v %v\nwant %v", c.Text, ids, err, c.IDs)
				}
				if tok.pad != 0 { // the goldens pad with 0
					continue
				}
				fixed, n, err := tok.EncodeTo(c.Text, len(c.Fixed))
				if err != nil || !slices.Equal(fixed, c.Fixed) || n != min(len(c.IDs), len(c.Fixed)) {
					t.Errorf("%.60q to a fixed length\ngot  %v %v\nwant %v", c.Text, fixed, err, c.Fixed)
				}
			}
		})
	}
}

// TestRefuses has a line for each thing that would change the tokens silently.
func TestRefuses(t *testing.T) {
	const model = `"model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"}`
	for name, c := range map[string]struct{ doc, want string }{
		"no JSON":        {`{`, "unexpected end"},
		"no model":       {`{}`, `model.type: "" is not supported`},
		"other model":    {`{"model":{"type":"BPE"}}`, `model.type: "BPE" is not supported`},
		"empty":          {`{"model":{"type":"WordLevel","vocab":{}}}`, "model: vocab: 0 words"},
		"negative":       {`{"model":{"type":"WordLevel","vocab":{"a":-1}}}`, `word "a" has number -1`},
		"byte fallback":  {`{"model":{"type":"Unigram","vocab":[["a",-1]],"byte_fallback":true}}`, `byte_fallback: "true" is not supported`},
		"unk":            {`{"model":{"type":"Unigram","vocab":[["a",-1]],"unk_id":1}}`, "unk_id: 1 is not in the vocabulary"},
		"no pair":        {`{"model":{"type":"Unigram","vocab":[["a"]]}}`, "vocab"},
		"normalizer":     {`{` + model + `,"normalizer":{"type":"Sequence","normalizers":[{"type":"Lowercase"},{"type":"Precompiled"}]}}`, `normalizer.normalizers[1].type: "Precompiled" is not supported`},
		"pre-tokenizer":  {`{` + model + `,"pre_tokenizer":{"type":"ByteLevel"}}`, `pre_tokenizer.type: "ByteLevel" is not supported`},
		"mark":           {`{` + model + `,"pre_tokenizer":{"type":"Metaspace","replacement":"xx"}}`, `replacement: "xx" is not supported`},
		"scheme":         {`{` + model + `,"pre_tokenizer":{"type":"Metaspace","replacement":"_","prepend_scheme":"last"}}`, `prepend_scheme: "last" is not supported`},
		"post-processor": {`{` + model + `,"post_processor":{"type":"ByteLevel"}}`, `post_processor.type: "ByteLevel" is not supported`},
		"no text":        {`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[]}}`, "the text stands in it 0 times"},
		"unknown token":  {`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x"}}]}}`, `no "x"`},
	} {
		if _, err := Parse([]byte(c.doc)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "tokenizer.json: ") {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestBounds(t *testing.T) {
	tok, _ := load(t, "testdata/wordlevel.json")
	if _, err := tok.Encode(strings.Repeat("a", maxText+1)); err == nil {
		t.Error("a text without bound")
	}
	if _, _, err := tok.EncodeTo("a", 0); err == nil {
		t.Error("no room for what the template adds")
	}
	if ids, err := tok.Encode("a\xff\xfeb"); err != nil || len(ids) == 0 {
		t.Errorf("bytes that are no UTF-8: %v %v", ids, err)
	}
	if _, err := tok.WithPad("nothing"); err == nil {
		t.Error("a padding token that is not there")
	}
	if padded, err := tok.WithPad("red"); err != nil || padded.pad == tok.pad {
		t.Errorf("pad %d, %v", padded.pad, err)
	}
	none, _ := load(t, "testdata/unigram-bare.json")
	if _, _, err := none.EncodeTo("a", 5); err == nil {
		t.Error("padded without a padding token")
	}
}

func FuzzEncode(f *testing.F) {
	for _, name := range []string{"wordlevel-split", "unigram", "unigram-bare"} {
		_, g := load(f, "testdata/"+name+".json")
		f.Add([]byte(g.Tokenizer), g.Cases[2].Text)
	}
	f.Fuzz(func(t *testing.T, doc []byte, text string) {
		tok, err := Parse(doc)
		if err != nil {
			return
		}
		ids, err := tok.Encode(text)
		if err != nil {
			return
		}
		for _, id := range ids {
			if id < 0 || id > tok.MaxID() {
				t.Fatalf("token %d of %d", id, tok.MaxID())
			}
		}
	})
}
