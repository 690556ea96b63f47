package safetensors

import (
	"errors"
	"io/fs"
	"slices"
)

// Checkpoint is the weights of one model, from one file or several. It is safe
// for use by several goroutines; after Close no Tensor of it may be used.
type Checkpoint struct {
	files   []*file
	tensors []Tensor
	byName  map[string]int
}

// FileInfo is a file that a checkpoint reads.
type FileInfo struct {
	Name     string            // as the file system names it
	Size     int64             // bytes
	Mapped   bool              // false: it was read into memory
	Metadata map[string]string // the header's "__metadata__"; nil when it has none
}

// Open opens one safetensors file of fsys. Errors about its content are *Error.
func Open(fsys fs.FS, name string) (*Checkpoint, error) {
	c := &Checkpoint{byName: map[string]int{}}
	if err := c.add(fsys, name); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// add opens one more file.
func (c *Checkpoint) add(fsys fs.FS, name string) error {
	f, entries, err := openFile(fsys, name)
	if err != nil {
		return err
	}
	c.files = append(c.files, f)
	for _, e := range entries {
		if i, twice := c.byName[e.name]; twice {
			return &Error{File: name, Tensor: e.name, Err: errors.New("it is also in " + c.tensors[i].File)}
		}
		c.byName[e.name] = len(c.tensors)
		c.tensors = append(c.tensors, Tensor{
			Name: e.name, File: name, DType: e.dtype, Shape: e.shape,
			data: f.data[e.begin:e.end:e.end],
		})
	}
	return nil
}

// Tensors lists what the checkpoint holds, file by file in the order of the
// data, which is the fastest order to read.
func (c *Checkpoint) Tensors() []Tensor { return slices.Clone(c.tensors) }

// Tensor finds a tensor by name.
func (c *Checkpoint) Tensor(name string) (t Tensor, ok bool) {
	i, ok := c.byName[name]
	if !ok {
		return Tensor{}, false
	}
	return c.tensors[i], true
}

// Files lists the files in the order in which they were opened.
func (c *Checkpoint) Files() []FileInfo {
	out := make([]FileInfo, len(c.files))
	for i, f := range c.files {
		out[i] = FileInfo{Name: f.name, Size: f.size, Mapped: f.unmap != nil, Metadata: f.meta}
	}
	return out
}

// Close releases the files. Calling it twice is fine.
func (c *Checkpoint) Close() error {
	var errs []error
	for _, f := range c.files {
		errs = append(errs, f.close())
	}
	c.files, c.tensors, c.byName = nil, nil, nil
	return errors.Join(errs...)
}
