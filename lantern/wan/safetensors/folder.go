package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxIndex bounds the JSON of an index, in bytes.
const maxIndex = 64 << 20

// OpenFolder opens the weights of a model's folder: what its one
// *.safetensors.index.json lists, else its *.safetensors files. Names that
// Diffusers and transformers write come before any other, and of a file with a
// variant ("model.fp16.safetensors") beside the plain one the plain one counts.
func OpenFolder(fsys fs.FS, dir string) (*Checkpoint, error) {
	list, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, &Error{File: dir, Err: cause(err)}
	}
	var files, indexes []string
	for _, e := range list {
		switch name := e.Name(); {
		case strings.HasSuffix(name, ".safetensors"):
			files = append(files, name)
		case strings.HasSuffix(name, ".safetensors.index.json"):
			indexes = append(indexes, name)
		}
	}
	for _, base := range []string{"diffusion_pytorch_model", "model"} {
		if name := base + ".safetensors.index.json"; slices.Contains(indexes, name) {
			return OpenIndex(fsys, path.Join(dir, name))
		}
		if name := base + ".safetensors"; slices.Contains(files, name) {
			return Open(fsys, path.Join(dir, name))
		}
	}
	switch {
	case len(indexes) == 1:
		return OpenIndex(fsys, path.Join(dir, indexes[0]))
	case len(indexes) > 1:
		return nil, &Error{File: dir, Err: fmt.Errorf("%s and %s: which index counts?", indexes[0], indexes[1])}
	case len(files) == 0:
		return nil, &Error{File: dir, Err: errors.New("no safetensors files found")}
	}
	c := &Checkpoint{byName: map[string]int{}}
	for _, name := range files {
		if err := c.add(fsys, path.Join(dir, name)); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// OpenIndex opens the shards that an index names ("weight_map": tensor to
// file). Shards lie beside the index; a name that leads elsewhere is refused.
func OpenIndex(fsys fs.FS, name string) (*Checkpoint, error) {
	where, err := readIndex(fsys, name)
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{byName: map[string]int{}}
	if err := c.openShards(fsys, name, where); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// openShards opens each file that where names, and compares what they hold.
func (c *Checkpoint) openShards(fsys fs.FS, index string, where map[string]string) error {
	names := slices.Sorted(maps.Keys(where))
	opened := map[string]bool{}
	for _, tensor := range names {
		shard := where[tensor]
		if opened[shard] {
			continue
		}
		if shard != path.Base(shard) || !fs.ValidPath(shard) || strings.ContainsAny(shard, `\:`) || !strings.HasSuffix(shard, ".safetensors") {
			return &Error{File: index, Tensor: tensor, Err: fmt.Errorf("the index places it in %q, which is no .safetensors file beside the index", clip(shard))}
		}
		opened[shard] = true
		full := path.Join(path.Dir(index), shard)
		err := c.add(fsys, full)
		if errors.Is(err, fs.ErrNotExist) {
			return &Error{File: full, Tensor: tensor, Err: fmt.Errorf("the shard is missing; %s names it", path.Base(index))}
		}
		if err != nil {
			return err
		}
	}
	for _, tensor := range names {
		t, ok := c.Tensor(tensor)
		if full := path.Join(path.Dir(index), where[tensor]); !ok || t.File != full {
			return &Error{File: full, Tensor: tensor, Err: fmt.Errorf("it is not there; %s says so", path.Base(index))}
		}
	}
	return nil
}

// readIndex reads which file holds which tensor.
func readIndex(fsys fs.FS, name string) (map[string]string, error) {
	in, err := openRegular(fsys, name)
	if err != nil {
		return nil, &Error{File: name, Err: cause(err)}
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, maxIndex+1))
	if err != nil {
		return nil, &Error{File: name, Err: cause(err)}
	}
	if len(raw) > maxIndex {
		return nil, &Error{File: name, Err: fmt.Errorf("an index of more than %d bytes", maxIndex)}
	}
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(raw, &index); err != nil {
		return nil, &Error{File: name, Err: fmt.Errorf("the index is damaged: %w", err)}
	}
	if len(index.WeightMap) == 0 {
		return nil, &Error{File: name, Err: errors.New(`the index has no "weight_map"`)}
	}
	return index.WeightMap, nil
}
