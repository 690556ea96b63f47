package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"strings"
	"time"
)

// ErrNoEncoder is returned for MP4 where no encoder is on the PATH.
var ErrNoEncoder = errors.New("media: MP4 needs ffmpeg on the PATH; .gif and .apng need nothing")

// HasMP4 reports whether an encoder is at hand.
func HasMP4() bool {
	_, err := exec.LookPath("ffmpeg")
	return err == nil
}

// encodeTime bounds a run of the encoder.
const encodeTime = 5 * time.Minute

// mp4 has ffmpeg write the file. Sides are made even, which most players want.
func mp4(ctx context.Context, path string, c Clip) error {
	name, err := exec.LookPath("ffmpeg")
	if err != nil {
		return ErrNoEncoder
	}
	ctx, cancel := context.WithTimeout(ctx, encodeTime)
	defer cancel()
	size := c.Frames[0].Bounds().Size()
	rate := c.Rate
	if rate <= 0 {
		rate = 1
	}
	cmd := exec.CommandContext(ctx, name, "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba",
		"-s", fmt.Sprintf("%dx%d", size.X, size.Y), "-r", fmt.Sprint(rate), "-i", "-",
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "file:"+path)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.Stdin = &pixels{frames: c}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("media: ffmpeg: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// pixels reads a clip as raw RGBA, row by row.
type pixels struct {
	frames Clip
	at     int
	rest   []byte
}

func (p *pixels) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.at == len(p.frames.Frames) {
			return 0, io.EOF
		}
		p.rest = packed(p.frames.Frames[p.at])
		p.at++
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// packed returns a picture's pixels without the gaps between rows.
func packed(f *image.RGBA) []byte {
	b := f.Bounds()
	out := make([]byte, 0, 4*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		at := f.PixOffset(b.Min.X, y)
		out = append(out, f.Pix[at:at+4*b.Dx()]...)
	}
	return out
}
