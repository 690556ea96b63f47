package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// moving is a clip of a square that moves over a plain ground with a gradient.
func moving(n, w, h int) Clip {
	c := Clip{Rate: 16}
	for i := range n {
		f := image.NewRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				p := color.RGBA{uint8(10 + x), uint8(20 + y), 200, 255}
				if x >= i && x < i+4 && y >= 2 && y < 6 {
					p = color.RGBA{250, 30, 20, 255}
				}
				f.SetRGBA(x, y, p)
			}
		}
		c.Frames = append(c.Frames, f)
	}
	return c
}

func TestGIF(t *testing.T) {
	c := moving(17, 40, 24)
	var out bytes.Buffer
	if err := GIF(&out, c); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(&out)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for i, f := range g.Image {
		total += g.Delay[i]
		for y := range 24 {
			for x := range 40 {
				want, got := c.Frames[i].RGBAAt(x, y), color.RGBAModel.Convert(f.At(x, y)).(color.RGBA)
				if far(want, got) > 8 {
					t.Fatalf("frame %d at %d,%d: %v, want %v", i, x, y, got, want)
				}
			}
		}
	}
	if len(g.Image) != 17 || total != 106 { // 17/16 s
		t.Errorf("%d frames in %d hundredths", len(g.Image), total)
	}
}

func far(a, b color.RGBA) int {
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(d(a.R, b.R), d(a.G, b.G), d(a.B, b.B))
}

// TestAPNG reads the file back: the first picture with the library, which knows no
// animation, the others by putting their data into a file of their own.
func TestAPNG(t *testing.T) {
	c := moving(5, 33, 17)
	var out bytes.Buffer
	if err := APNG(&out, c); err != nil {
		t.Fatal(err)
	}
	pics, order := parts(t, out.Bytes())
	if len(pics) != 5 {
		t.Fatalf("%d pictures: %v", len(pics), order)
	}
	for i, p := range pics {
		img, err := png.Decode(bytes.NewReader(p))
		if err != nil {
			t.Fatal(i, err)
		}
		for y := range 17 {
			for x := range 33 {
				if got := color.RGBAModel.Convert(img.At(x, y)); got != c.Frames[i].At(x, y) {
					t.Fatalf("picture %d at %d,%d: %v", i, x, y, got)
				}
			}
		}
	}
}

// parts takes an animated PNG apart into plain ones, checking the order of its
// chunks' sequence numbers.
func parts(t *testing.T, b []byte) (pics [][]byte, order []string) {
	var head []byte
	seq := uint32(0)
	for rest := b[8:]; len(rest) >= 12; {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		order = append(order, kind)
		rest = rest[12+n:]
		if kind == "fcTL" || kind == "fdAT" {
			if got := binary.BigEndian.Uint32(data); got != seq {
				t.Fatalf("%s has number %d, want %d", kind, got, seq)
			}
			seq++
		}
		add := func(kind string, data []byte) {
			var out bytes.Buffer
			(&apng{w: &out}).chunk(kind, data)
			pics[len(pics)-1] = append(pics[len(pics)-1], out.Bytes()...)
		}
		switch kind {
		case "IHDR":
			head = data
		case "fcTL":
			pics = append(pics, bytes.Clone(b[:8]))
			add("IHDR", head)
		case "IDAT":
			add("IDAT", data)
		case "fdAT":
			add("IDAT", data[4:])
		}
	}
	for i := range pics {
		var out bytes.Buffer
		(&apng{w: &out}).chunk("IEND", nil)
		pics[i] = append(pics[i], out.Bytes()...)
	}
	return pics, order
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	for _, name := range []string{"a.gif", "a.apng", "a.png"} {
		path := filepath.Join(dir, name)
		if err := Write(ctx, path, moving(3, 16, 16).Scale(2), false); err != nil {
			t.Fatal(err)
		}
		if err := Write(ctx, path, moving(3, 16, 16), false); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s was written over: %v", name, err)
		}
		if err := Write(ctx, path, moving(3, 16, 16), true); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []struct {
		name string
		clip Clip
	}{{"b.gif", Clip{}}, {"b.webp", moving(1, 8, 8)}, {"b.gif", Clip{Frames: moving(2, 8, 8).Frames}},
		{"b.gif", Clip{Rate: 5, Frames: append(moving(1, 8, 8).Frames, moving(1, 9, 8).Frames...)}}, {"none/b.gif", moving(1, 8, 8)}} {
		if err := Write(ctx, filepath.Join(dir, bad.name), bad.clip, false); err == nil {
			t.Errorf("%s of %d frames was written", bad.name, len(bad.clip.Frames))
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestMP4(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mp4")
	err := Write(context.Background(), path, moving(9, 33, 17), false)
	if !HasMP4() {
		if !errors.Is(err, ErrNoEncoder) {
			t.Errorf("without ffmpeg: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) < 100 || string(b[4:8]) != "ftyp" {
		t.Errorf("no MP4: %v", err)
	}
}
