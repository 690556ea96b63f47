package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// strictObject decodes one JSON object and nothing else. Keys that occur twice are
// errors, numbers stay text, and an error says where it lies.
func strictObject(data []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	fail := func(err error) error {
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return errors.New("the JSON text ends too early")
		case errors.As(err, &syntax):
			return fmt.Errorf("no JSON at byte %d: %w", syntax.Offset, err)
		}
		return err
	}
	tok, err := d.Token()
	if err != nil {
		return nil, fail(err)
	}
	if tok != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object, not %s", show(tok))
	}
	v, err := object(d, 0)
	if err != nil {
		return nil, fail(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more text after the JSON object, at byte %d", d.InputOffset())
	}
	return v, nil
}

// maxNesting bounds how deep a document may nest.
const maxNesting = 20

func object(d *json.Decoder, depth int) (map[string]any, error) {
	m := map[string]any{}
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := tok.(string)
		if _, twice := m[key]; twice {
			return nil, &Fault{Field: key, Want: "stands twice; want it once"}
		}
		if m[key], err = value(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return m, err
}

func value(d *json.Decoder, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("nested deeper than %d", maxNesting)
	}
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		return object(d, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return tok, nil
}
