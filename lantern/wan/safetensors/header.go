package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

const (
	// maxHeader is far above any real header (about 100 bytes a tensor) and
	// bounds what parsing may cost.
	maxHeader = 16 << 20
	// maxRank is the most dimensions that PyTorch allows a tensor to name.
	maxRank = 64
)

// entry is a tensor as the header states it.
type entry struct {
	name       string
	dtype      DType
	shape      []int
	begin, end int64 // bytes after the header
}

// bad is a fault of the header; tensor may be "".
func bad(tensor, format string, args ...any) error {
	return &Error{Tensor: tensor, Err: fmt.Errorf(format, args...)}
}

// headerLen reads the length that begins a file of size bytes.
func headerLen(first []byte, size int64) (int64, error) {
	if size < 8 || len(first) < 8 {
		return 0, bad("", "%d bytes are no safetensors file: the first 8 hold the header's length", size)
	}
	n := binary.LittleEndian.Uint64(first)
	switch {
	case n > maxHeader:
		return 0, bad("", "the header claims %d bytes, more than the %d allowed; is this a safetensors file?", n, maxHeader)
	case int64(n) > size-8:
		return 0, bad("", "the header claims %d bytes, but the file holds %d after its length: it is truncated", n, size-8)
	}
	return int64(n), nil
}

// parseHeader reads the header's JSON; data is how many bytes follow it. The
// entries come in the order of their data.
func parseHeader(raw []byte, data int64) ([]entry, map[string]string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, bad("", "the header is no JSON object")
	}
	var entries []entry
	var meta map[string]string
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, nil, bad("", "the header is damaged: %v", err)
		}
		if seen[name] {
			return nil, nil, bad(name, "the header names it twice")
		}
		seen[name] = true
		if name == "__metadata__" {
			if err := dec.Decode(&meta); err != nil {
				return nil, nil, bad("", "the header's metadata is no map of texts: %v", err)
			}
			continue
		}
		e, err := parseEntry(dec, name)
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, e)
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, bad("", "the header is damaged: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, bad("", "something follows the header's JSON object")
	}
	return entries, meta, layOut(entries, data)
}

func parseEntry(dec *json.Decoder, name string) (entry, error) {
	var in struct {
		DType   DType   `json:"dtype"`
		Shape   []int64 `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	if err := dec.Decode(&in); err != nil {
		return entry{}, bad(name, "the header is damaged: %v", err)
	}
	size := int64(in.DType.Size())
	switch {
	case size == 0:
		return entry{}, bad(name, "element type %q is not known", clip(string(in.DType)))
	case in.Shape == nil || len(in.Shape) > maxRank:
		return entry{}, bad(name, "no shape, or one of more than %d dimensions", maxRank)
	case len(in.Offsets) != 2 || in.Offsets[0] < 0 || in.Offsets[1] < in.Offsets[0]:
		return entry{}, bad(name, "data_offsets %v are no begin and end", in.Offsets)
	}
	e := entry{name: name, dtype: in.DType, begin: in.Offsets[0], end: in.Offsets[1], shape: make([]int, len(in.Shape))}
	bytes := size
	for i, n := range in.Shape {
		if n < 0 || n > math.MaxInt32 || (n > 0 && bytes > math.MaxInt64/n) {
			return entry{}, bad(name, "shape %v cannot be", in.Shape)
		}
		e.shape[i] = int(n)
		bytes *= n
	}
	if bytes != e.end-e.begin {
		return entry{}, bad(name, "shape %v of %s takes %d bytes, data_offsets hold %d", in.Shape, in.DType, bytes, e.end-e.begin)
	}
	return e, nil
}

// layOut sorts entries by place and makes sure that they fill the data without
// hole or overlap, as the format demands.
func layOut(entries []entry, data int64) error {
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	at := int64(0)
	for _, e := range entries {
		switch {
		case e.begin < at:
			return bad(e.name, "its data overlap those of another tensor")
		case e.begin > at:
			return bad(e.name, "%d bytes before its data belong to no tensor", e.begin-at)
		case e.end > data:
			return bad(e.name, "its data end at byte %d, but the file holds %d: it is truncated", e.end, data)
		}
		at = e.end
	}
	if at != data {
		return bad("", "%d bytes follow the last tensor", data-at)
	}
	return nil
}
