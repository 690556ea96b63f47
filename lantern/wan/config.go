package wan

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
)

const (
	maxConfig = 4 << 20 // bytes of a JSON file
	maxDim    = 1 << 20 // of any size that a configuration names
	maxLayers = 1 << 10
)

// ConfigError is a value in a configuration that this package cannot honour.
type ConfigError struct {
	File  string // as the file system names it; "" when the value did not come from a file
	Field string
	Value any
	Want  string // what would do
}

func (e *ConfigError) Error() string {
	text := fmt.Sprintf("%s: %v is not supported", e.Field, e.Value)
	if s, ok := e.Value.(string); ok {
		text = fmt.Sprintf("%s: %.80q is not supported", e.Field, s)
	}
	if e.Want != "" {
		text += "; it must be " + e.Want
	}
	if e.File != "" {
		text = e.File + ": " + text
	}
	return text
}

// checks collects the first value that is out of range.
type checks struct{ err error }

func (c *checks) that(ok bool, field string, value any, want string) {
	if !ok && c.err == nil {
		c.err = &ConfigError{Field: field, Value: value, Want: want}
	}
}

func (c *checks) size(field string, v, most int) {
	c.that(v >= 1 && v <= most, field, v, fmt.Sprintf("1 to %d", most))
}

// deref shows what a pointer holds, for messages.
func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// config is a configuration that can check itself.
type config interface{ check() error }

// parseConfig lays the JSON of a class over the defaults in c and checks the
// result. What it names besides is ignored, as Diffusers does.
func parseConfig(file, class string, raw []byte, c config) error {
	var head struct {
		Class string `json:"_class_name"` // transformers does not write it
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if head.Class != "" && head.Class != class {
		return &ConfigError{File: file, Field: "_class_name", Value: head.Class, Want: class}
	}
	if err := json.Unmarshal(raw, c); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	err := c.check()
	if e, ok := err.(*ConfigError); ok {
		e.File = file
	}
	return err
}

// readFile reads a small file of a model folder.
func readFile(fsys fs.FS, name string, most int64) ([]byte, error) {
	if st, err := fs.Stat(fsys, name); err == nil && !st.Mode().IsRegular() { // opening a pipe would wait
		return nil, fmt.Errorf("%s: no regular file", path.Clean(name))
	}
	in, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > most {
		return nil, fmt.Errorf("%s: more than the %d bytes allowed", path.Clean(name), most)
	}
	return raw, nil
}
