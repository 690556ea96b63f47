// Package xlsx writes operator tables as a workbook that Excel and LibreOffice
// open: ops_rank<N>.xlsx with the sheets and columns that vLLM-Omni writes, its
// device columns filled, then shares and a row of totals. Large sheets go
// through a temporary file, so that memory does not grow with their rows. Equal
// reports give equal bytes.
//
// It holds no formula: a name that starts with "=" is a text like any other.
package xlsx

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"reel/analyze"
)

// Options say what device the times are of, and where large sheets lie while they
// grow. The zero is CUDA and the system's folder for temporary files.
type Options struct {
	// Device names the sort of device as PyTorch does: "CUDA" (also of AMD
	// devices) or "XPU"; "" is "CUDA". The columns cuda_* are filled for every
	// device, xpu_* for XPU alone.
	Device  string
	TempDir string
	// AllSheets gives every report a sheet, also one by shape or stack in which no
	// row has any.
	AllSheets bool
}

// sheetNames are the sheets by the grouping of their report.
var sheetNames = map[analyze.OpsBy]string{analyze.OpsByName: "summary", analyze.OpsByShape: "by_shape", analyze.OpsByStack: "by_stack"}

// maxRows is the number of rows that a sheet can hold.
const maxRows = excelize.TotalRows

// Workbook is a workbook in the making. Add each report, then Write, then Close.
type Workbook struct {
	opt    Options
	file   *excelize.File
	styles styles
	sheets []string
	limit  int // rows of a sheet
}

// New begins a workbook.
func New(o Options) (*Workbook, error) {
	if o.Device == "" {
		o.Device = "CUDA"
	}
	w := &Workbook{opt: o, file: excelize.NewFile(excelize.Options{TmpDir: o.TempDir}), limit: maxRows}
	err := w.properties()
	if err == nil {
		w.styles, err = newStyles(w.file)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// properties replace the library's with ours; the times are fixed, so that equal
// reports give equal bytes.
func (w *Workbook) properties() error {
	const epoch = "1980-01-01T00:00:00Z" // the earliest that a zip archive can tell
	err := w.file.SetDocProps(&excelize.DocProperties{Creator: "Reel", LastModifiedBy: "Reel", Created: epoch, Modified: epoch, Title: "Operators"})
	return cmp.Or(err, w.file.SetAppProps(&excelize.AppProperties{Application: "Reel"}))
}

// Add adds the report's sheet: "summary" of a report by name, "by_shape" by
// shape, "by_stack" by stack. A report by shape or stack in which no row has any
// adds nothing, unless AllSheets: they were not recorded. The report is not kept. Errors are those
// of the temporary file, and a second report of one grouping.
func (w *Workbook) Add(rep *analyze.OpsReport) error {
	name, ok := sheetNames[rep.By]
	if !ok {
		return fmt.Errorf("xlsx: no sheet for operators by %q", rep.By)
	}
	if slices.Contains(w.sheets, name) {
		return fmt.Errorf("xlsx: two reports for sheet %s", name)
	}
	if rep.By != analyze.OpsByName && !w.opt.AllSheets && !grouped(rep) {
		return nil
	}
	if err := w.addSheet(name); err != nil {
		return fmt.Errorf("xlsx: sheet %s: %w", name, err)
	}
	s := newSheet(w, name, rep)
	if err := s.write(); err != nil {
		return fmt.Errorf("xlsx: sheet %s: %w", name, err)
	}
	return nil
}

// addSheet makes an empty sheet; the first takes the place of the one that every
// new workbook has.
func (w *Workbook) addSheet(name string) error {
	w.sheets = append(w.sheets, name)
	if len(w.sheets) == 1 {
		return w.file.SetSheetName(w.file.GetSheetName(0), name)
	}
	_, err := w.file.NewSheet(name)
	return err
}

// grouped reports whether any row has shapes, or calls.
func grouped(rep *analyze.OpsReport) bool {
	return slices.ContainsFunc(rep.Rows, func(r analyze.OpsRow) bool {
		return rep.By == analyze.OpsByShape && r.InputShapes != "" || rep.By == analyze.OpsByStack && len(r.Stack) > 0
	})
}

// Write writes the workbook, which has at least one sheet. Errors are those of dst and of the
// temporary files.
func (w *Workbook) Write(dst io.Writer) error {
	if len(w.sheets) == 0 {
		return errors.New("xlsx: a workbook without a sheet")
	}
	return w.archive(dst)
}

// Close removes the temporary files. It may be called twice.
func (w *Workbook) Close() error { return w.file.Close() }

// Write writes a workbook of the reports, in their order.
func Write(dst io.Writer, o Options, reports ...*analyze.OpsReport) (err error) {
	w, err := New(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, rep := range reports {
		if err := w.Add(rep); err != nil {
			return err
		}
	}
	return w.Write(dst)
}

// isXPU reports whether the columns xpu_* are filled.
func (w *Workbook) isXPU() bool { return strings.EqualFold(w.opt.Device, "xpu") }
