package artifacts

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"reel/control"
	"reel/internal/rundir"
	"reel/write/chrome"
)

// Trace makes a Chrome trace of a recording: the Export of packages rec's options,
// so that what TLLM_TORCH_PROFILE_TRACE names is one. A name that ends in .gz gets a
// compressed one. A file of the name is not overwritten. The error names the file.
func Trace(recording, name string) error {
	ctx := context.Background()
	ranks, roles, err := read(ctx, 0, recording)
	if err != nil {
		return err
	}
	if rank := ranks[0].TL.Info.Rank; rank != nil {
		ranks[0].Index = *rank
	}
	if err := commit(name, func(w io.Writer) error {
		_, err := chrome.Write(ctx, w, ranks, chrome.Options{Roles: roles})
		return err
	}); err != nil {
		return fmt.Errorf("trace %s: %w", name, err)
	}
	return nil
}

// commit writes a file whole, under name or the next one that is free.
func commit(name string, write func(io.Writer) error) error {
	dir, err := rundir.Join(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := dir.Create(filepath.Base(name), control.Trace, control.Derived)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := pack(f, strings.HasSuffix(name, ".gz"), write); err != nil {
		return err
	}
	_, err = f.Commit()
	return err
}
