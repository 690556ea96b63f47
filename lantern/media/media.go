// Package media writes clips and pictures: PNG, animated PNG, GIF, and MP4 where an
// encoder is at hand. It makes none and knows no model.
package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Clip is pictures of one size, shown Rate times a second.
type Clip struct {
	Frames []*image.RGBA
	Rate   float64 // frames per second
}

// maxFrames and maxSide bound what is written: an animated picture is kept whole
// by every viewer.
const (
	maxFrames = 1 << 16
	maxSide   = 1 << 14
)

// check reports what makes a clip unfit for writing.
func (c Clip) check() error {
	if len(c.Frames) == 0 {
		return errors.New("media: the clip has no frame")
	}
	if len(c.Frames) > maxFrames {
		return fmt.Errorf("media: %d frames; at most %d can be written", len(c.Frames), maxFrames)
	}
	size := c.Frames[0].Bounds().Size()
	if size.X < 1 || size.Y < 1 || size.X > maxSide || size.Y > maxSide {
		return fmt.Errorf("media: frames of %d x %d pixels; sides of 1 to %d can be written", size.X, size.Y, maxSide)
	}
	for i, f := range c.Frames {
		if f.Bounds().Size() != size {
			return fmt.Errorf("media: frame %d is %v pixels, the first one %v", i, f.Bounds().Size(), size)
		}
	}
	if len(c.Frames) > 1 && !(c.Rate > 0 && c.Rate <= 1000) {
		return fmt.Errorf("media: %v frames per second; more than 0 and at most 1000 are possible", c.Rate)
	}
	return nil
}

// Scale returns the clip n times as large, each pixel a square: small clips can be
// looked at this way.
func (c Clip) Scale(n int) Clip {
	if n <= 1 {
		return c
	}
	out := Clip{Rate: c.Rate}
	for _, f := range c.Frames {
		b := f.Bounds()
		g := image.NewRGBA(image.Rect(0, 0, b.Dx()*n, b.Dy()*n))
		for y := range g.Rect.Dy() {
			for x := range g.Rect.Dx() {
				g.SetRGBA(x, y, f.RGBAAt(b.Min.X+x/n, b.Min.Y+y/n))
			}
		}
		out.Frames = append(out.Frames, g)
	}
	return out
}

// suffixes are the file names' endings that Write understands.
var suffixes = []string{".png", ".apng", ".gif", ".mp4"}

// Fit reports whether Write can write files of this name: the ending is one of its
// forms, and the encoder that it needs is at hand. It does not look at the file.
func Fit(path string) error {
	suffix := strings.ToLower(filepath.Ext(path))
	switch {
	case !slices.Contains(suffixes, suffix):
		return fmt.Errorf("media: %s: a name that ends in %s is wanted", path, strings.Join(suffixes, ", "))
	case suffix == ".mp4" && !HasMP4():
		return ErrNoEncoder
	}
	return nil
}

// Write writes a clip to a new file in the form that the name's ending asks for:
// .gif, .apng, .mp4, or .png, which is animated when there are several frames. An
// existing file is an error unless force says otherwise. The file appears whole.
// MP4 needs ffmpeg on the PATH.
func Write(ctx context.Context, path string, c Clip, force bool) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	if err := Fit(path); err != nil {
		return err
	}
	suffix := strings.ToLower(filepath.Ext(path))
	var encode func(io.Writer) error // nil has ffmpeg write the file
	switch suffix {
	case ".png", ".apng":
		encode = func(w io.Writer) error { return APNG(w, c) }
	case ".gif":
		encode = func(w io.Writer) error { return GIF(w, c) }
	}
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("media: %s: %w", path, os.ErrExist)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".clip-*"+suffix)
	if err != nil {
		return fmt.Errorf("media: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	if encode == nil {
		tmp.Close()
		err = mp4(ctx, tmp.Name(), c)
	} else {
		err = errors.Join(encode(tmp), tmp.Close())
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return fmt.Errorf("media: %w", err)
	}
	if err := place(tmp.Name(), path, force); err != nil {
		return fmt.Errorf("media: %w", err)
	}
	return nil
}

// place gives a finished file its name; without force it never replaces one.
func place(tmp, path string, force bool) error {
	if force {
		return os.Rename(tmp, path)
	}
	if err := os.Link(tmp, path); err != nil {
		if errors.Is(err, os.ErrExist) {
			return err
		}
		return os.Rename(tmp, path) // a file system without links
	}
	return os.Remove(tmp)
}

// PNG writes one picture.
func PNG(w io.Writer, f *image.RGBA) error { return png.Encode(w, f) }
