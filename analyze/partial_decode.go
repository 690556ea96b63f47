package analyze

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// partialDecoder reads a partial a record at a time.
type partialDecoder struct {
	in    *allowance
	d     *json.Decoder
	p     Partial
	given *totals
}

func newPartialDecoder(r io.Reader) *partialDecoder {
	in := &allowance{r: r, max: maxRecordBytes}
	return &partialDecoder{in: in, d: json.NewDecoder(in)}
}

// allowance is a reader that fails when more is read between two calls of
// renew than a record may have.
type allowance struct {
	r         io.Reader
	max, left int
}

func (a *allowance) renew() { a.left = a.max + 1<<10 }

func (a *allowance) Read(b []byte) (int, error) {
	if a.left <= 0 {
		return 0, fmt.Errorf("a record larger than %d MiB", a.max>>20)
	}
	n, err := a.r.Read(b[:min(len(b), a.left)])
	a.left -= n
	return n, err
}

var errNoPartial = fmt.Errorf("it has no schema, want %q", PartialSchema)

// decode reads the whole file.
func (d *partialDecoder) decode() (*Partial, error) {
	d.in.renew()
	if t, err := d.d.Token(); err != nil || t != json.Delim('{') {
		if err != nil && !isSyntax(err) {
			return nil, cutShort(err)
		}
		return nil, errNoPartial
	}
	seen := map[string]bool{}
	for d.d.More() {
		d.in.renew()
		t, err := d.d.Token()
		if err != nil {
			return nil, cutShort(err)
		}
		key, _ := t.(string)
		if len(seen) == 0 && key != "schema" {
			return nil, errNoPartial
		}
		if seen[key] {
			return nil, fmt.Errorf("%q stands there twice", key)
		}
		seen[key] = true
		if err := d.member(key); err != nil {
			return nil, err
		}
	}
	if _, err := d.d.Token(); err != nil {
		return nil, cutShort(err)
	}
	if _, err := d.d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text after its end")
	}
	if !seen["records"] {
		return nil, errors.New(`it has no "records"`)
	}
	return d.finish()
}

// isSyntax tells bad JSON from a failing reader.
func isSyntax(err error) bool {
	syntax := new(json.SyntaxError)
	return errors.As(err, &syntax)
}

// cutShort words the end of the text in the middle of something.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is empty or cut short")
	}
	return err
}

func (d *partialDecoder) member(key string) error {
	switch key {
	case "schema":
		var s string
		if err := d.d.Decode(&s); err != nil {
			return fmt.Errorf("schema: %w", cutShort(err))
		}
		return checkSchema(s)
	case "records":
		return d.records()
	case "totals":
		d.given = &totals{}
		if err := d.value(d.given); err != nil {
			return fmt.Errorf("totals: %w", err)
		}
		return nil
	}
	return fmt.Errorf("unknown member %.60q", key)
}

func (d *partialDecoder) records() error {
	if t, err := d.d.Token(); err != nil || t != json.Delim('[') {
		return errors.New("records: want a list")
	}
	for i := 0; d.d.More(); i++ {
		if i == maxRecords {
			return fmt.Errorf("more than %d records", maxRecords)
		}
		r := &record{}
		err := d.value(r)
		if err == nil {
			err = r.check()
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		r.sum()
		d.p.records = append(d.p.records, r)
	}
	if _, err := d.d.Token(); err != nil {
		return fmt.Errorf("records: %w", cutShort(err))
	}
	return nil
}

// value reads the next value into v, strictly.
func (d *partialDecoder) value(v any) error {
	d.in.renew()
	var raw json.RawMessage
	if err := d.d.Decode(&raw); err != nil {
		return cutShort(err)
	}
	if err := bounded(raw); err != nil {
		return err
	}
	s := json.NewDecoder(bytes.NewReader(raw))
	s.DisallowUnknownFields()
	err := s.Decode(v)
	if err != nil && strings.Contains(err.Error(), "unknown field") {
		return fmt.Errorf("%w: written by a newer Reel?", err)
	}
	return err
}

// finish puts the records in order and compares the totals.
func (d *partialDecoder) finish() (*Partial, error) {
	p := &d.p
	slices.SortFunc(p.records, compareRecords)
	for i, r := range p.records {
		if i > 0 && compareRecords(p.records[i-1], r) == 0 {
			return nil, fmt.Errorf("the record of %q stands there twice", r.Names)
		}
		p.totals.add(&r.Summary)
	}
	if len(p.records) > 0 && (d.given == nil || !p.totals.equal(d.given)) {
		return nil, errors.New("its totals are not those of its records")
	}
	return p, nil
}

// equal compares by value.
func (t *totals) equal(o *totals) bool { return reflect.DeepEqual(t, o) }
