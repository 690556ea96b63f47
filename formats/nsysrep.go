package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// reportSuffix is of Nsight Systems' own reports, which nsys alone can read.
const reportSuffix = ".nsys-rep"

func isReport(path string) bool { return strings.HasSuffix(strings.ToLower(path), reportSuffix) }

// exportOf is where the export of a report lies: nsys itself puts it there.
func exportOf(report string) string { return report[:len(report)-len(reportSuffix)] + ".sqlite" }

// exported returns path, or, of a report of Nsight Systems, its SQLite export beside it,
// which nsys makes if it is not there yet and nsys is.
func exported(ctx context.Context, path string) (string, error) {
	if !isReport(path) {
		return path, nil
	}
	rep, err := os.Stat(path)
	if err != nil || rep.IsDir() {
		return path, nil // Open says so
	}
	out := exportOf(path)
	if st, err := os.Stat(out); err == nil {
		if st.ModTime().Before(rep.ModTime()) {
			return "", fmt.Errorf("%s: the export beside it, %s, is older; remove it, or write it anew: nsys export --type=sqlite --force-overwrite=true --output=%[2]s %[1]s", path, out)
		}
		return out, nil
	}
	nsys, err := exec.LookPath("nsys")
	if err != nil {
		return "", unknownf("%s: only nsys can read its own reports, and it is not on the PATH here; where it is (the machine that recorded this, most likely), run\n"+
			"  nsys export --type=sqlite --output=%s %s\nand open %[2]s", path, filepath.Base(out), filepath.Base(path))
	}
	return out, export(ctx, nsys, path, out)
}

// maxComplaint bounds what is shown of nsys' complaints.
const maxComplaint = 2 << 10

// export runs nsys. The export appears whole or not at all, and never over another file.
func export(ctx context.Context, nsys, report, out string) error {
	report, err := filepath.Abs(report)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), ".export-*")
	if err != nil {
		return fmt.Errorf("%s: no room for its export beside it: %w", report, plainError(err))
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, "export.sqlite")
	if part, err = filepath.Abs(part); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, nsys, "export", "--type=sqlite", "--output="+part, report)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text := said.Bytes()
		return fmt.Errorf("%s: nsys export failed: %w: %s", report, err, bytes.TrimSpace(text[max(0, len(text)-maxComplaint):]))
	}
	if err := os.Link(part, out); err != nil && !errors.Is(err, os.ErrExist) {
		if err = os.Rename(part, out); err != nil { // a file system without links
			return fmt.Errorf("%s: nsys left no export: %w", report, err)
		}
	}
	return nil
}
