package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// archive writes the parts of the workbook to dst, in a fixed order. The library
// would collect the whole archive in memory, with the sheets in any order; so it
// is asked several times, and each time only some of what it hands over is taken:
// first the small parts, then one sheet after the other.
func (w *Workbook) archive(dst io.Writer) error {
	z := zip.NewWriter(dst)
	small := map[string]*bytes.Buffer{}
	var sheets []string
	err := w.pass(func(name string) (io.Writer, error) {
		if strings.HasPrefix(name, "xl/worksheets/sheet") {
			sheets = append(sheets, name)
			return io.Discard, nil
		}
		small[name] = &bytes.Buffer{}
		return small[name], nil
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(small)) { // the list of contents comes first
		part, err := create(z, name)
		if err != nil {
			return err
		}
		if _, err := part.Write(small[name].Bytes()); err != nil {
			return err
		}
	}
	slices.Sort(sheets)
	for _, sheet := range sheets {
		err := w.pass(func(name string) (io.Writer, error) {
			if name != sheet {
				return io.Discard, nil
			}
			return create(z, name)
		})
		if err != nil {
			return fmt.Errorf("xlsx: %s: %w", sheet, err)
		}
	}
	return z.Close()
}

// pass lets the library hand over all parts.
func (w *Workbook) pass(take taker) error {
	w.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return take })
	return w.file.Write(io.Discard)
}

// taker says where a part goes. It stands in for the library's archive.
type taker func(name string) (io.Writer, error)

// Create is called for each part.
func (t taker) Create(name string) (io.Writer, error) { return t(name) }

// AddFS is part of the interface and never called.
func (t taker) AddFS(fs.FS) error { return errors.ErrUnsupported }

// Close ends a pass.
func (t taker) Close() error { return nil }

// create adds a part with a fixed time.
func create(z *zip.Writer, name string) (io.Writer, error) {
	part, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
	return &bounded{part, math.MaxUint32}, err
}

// bounded refuses what makes a part larger than spreadsheets can open.
type bounded struct {
	io.Writer
	room int64
}

var errTooLarge = errors.New("more than 4 GiB of text, which spreadsheets do not open; limit the rows")

func (b *bounded) Write(p []byte) (int, error) {
	if b.room -= int64(len(p)); b.room < 0 {
		return 0, errTooLarge
	}
	return b.Writer.Write(p)
}
