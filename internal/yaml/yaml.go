// Package yaml decodes YAML strictly. It is the only importer of the YAML
// module, and knows nothing of what the documents mean.
package yaml

import (
	"bytes"
	"errors"
	"io"

	yaml "go.yaml.in/yaml/v4"
)

// Decode reads one YAML document into v. Keys that v does not know are errors,
// which name their line. An empty document leaves v as it is.
func Decode(data []byte, v any) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
