package analyze

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of what DecodePartial takes, so that no file makes it use more memory
// than a small multiple of the file's size.
const (
	maxRecordBytes   = 64 << 20 // the text of a record, or of the totals
	maxRecordObjects = 1 << 18  // requests, stages, steps, … of a record
	maxRecords       = 1 << 20
)

// Encode writes the partial as JSON, a record a line. Equal partials give equal
// bytes. The error is w's, or says which record is larger than DecodePartial takes.
func (p *Partial) Encode(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(`{"schema":"` + PartialSchema + `","records":[`)
	for i, r := range p.records {
		text, err := compact(r)
		if err == nil {
			err = bounded(text)
		}
		if err != nil {
			return fmt.Errorf("partial summary of %s: %w", strings.Join(r.Names, ", "), err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	b.WriteByte(']')
	if len(p.records) > 0 {
		text, err := compact(&p.totals)
		if err == nil {
			err = bounded(text)
		}
		if err != nil {
			return fmt.Errorf("partial summary: totals: %w", err)
		}
		b.WriteString(",\n\"totals\":")
		b.Write(text)
	}
	b.WriteString("}\n")
	return b.Flush()
}

// compact is json.Marshal without HTML escapes.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// bounded says whether DecodePartial takes the text of a record.
func bounded(text []byte) error {
	if len(text) > maxRecordBytes {
		return fmt.Errorf("a record larger than %d MiB", maxRecordBytes>>20)
	}
	if n := bytes.Count(text, []byte{'{'}); n > maxRecordObjects {
		return fmt.Errorf("%d objects, more than the %d that a record may have", n, maxRecordObjects)
	}
	return nil
}

// DecodePartial reads what Encode writes. What no Partial could have written
// (another schema, a newer one, negative counts, totals that are not those of
// the records) is an error that says what and where. Memory stays within a small
// multiple of what was read; records beyond 64 MiB are refused.
func DecodePartial(r io.Reader) (*Partial, error) {
	d := newPartialDecoder(r)
	p, err := d.decode()
	if err != nil {
		return nil, fmt.Errorf("partial summary: %w", err)
	}
	return p, nil
}

// checkSchema says what is wrong with the schema of a partial.
func checkSchema(schema string) error {
	if schema == PartialSchema {
		return nil
	}
	name, version, _ := strings.Cut(PartialSchema, "/")
	if v, ok := strings.CutPrefix(schema, name+"/"); ok {
		have, err := strconv.Atoi(v)
		if own, _ := strconv.Atoi(version); err == nil && have > own {
			return fmt.Errorf("%s is newer than this Reel, which reads %s: update Reel", schema, PartialSchema)
		}
	}
	return fmt.Errorf("its schema is %.60q, want %q", schema, PartialSchema)
}
