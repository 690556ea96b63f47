package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"io"
)

// APNG writes an animated PNG (the PNG specification, third edition: chunks acTL,
// fcTL and fdAT), which plays for ever; of one frame it is a plain PNG.
func APNG(w io.Writer, c Clip) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Frames) == 1 {
		return PNG(w, c.Frames[0])
	}
	a := &apng{w: w, clip: c}
	a.raw([]byte("\x89PNG\r\n\x1a\n"))
	for i := range c.Frames {
		if err := a.frame(i); err != nil {
			return err
		}
	}
	a.chunk("IEND", nil)
	return a.err
}

type apng struct {
	w    io.Writer
	clip Clip
	seq  uint32 // of fcTL and fdAT chunks
	err  error
}

// frame writes a frame: its picture, encoded by itself, gives the data chunks.
func (a *apng) frame(i int) error {
	var pic bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	// An opaque picture and one that is not have different headers; a model's are
	// all opaque.
	f := *a.clip.Frames[i]
	if !f.Opaque() {
		return fmt.Errorf("media: frame %d is not opaque", i)
	}
	if err := enc.Encode(&pic, &f); err != nil {
		return err
	}
	for rest := pic.Bytes()[8:]; len(rest) >= 12; {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		rest = rest[12+n:]
		switch {
		case kind == "IHDR" && i == 0:
			a.chunk("IHDR", data)
			a.chunk("acTL", words(uint32(len(a.clip.Frames)), 0))
			a.control(i)
		case kind == "IHDR":
			a.control(i)
		case kind == "IDAT" && i == 0:
			a.chunk("IDAT", data)
		case kind == "IDAT":
			a.chunk("fdAT", append(words(a.next()), data...))
		}
	}
	return a.err
}

// control writes the frame control chunk: where the frame lies, and how long it
// stays. Times are fractions of a second.
func (a *apng) control(i int) {
	size := a.clip.Frames[i].Bounds().Size()
	data := words(a.next(), uint32(size.X), uint32(size.Y), 0, 0)
	ms := func(k int) int64 { return int64(float64(k)*1000/a.clip.Rate + 0.5) } // whole clip: no drift
	data = binary.BigEndian.AppendUint16(data, uint16(min(ms(i+1)-ms(i), 65535)))
	data = binary.BigEndian.AppendUint16(data, 1000)
	a.chunk("fcTL", append(data, 0, 0))
}

func (a *apng) next() uint32 {
	a.seq++
	return a.seq - 1
}

func words(list ...uint32) (b []byte) {
	for _, v := range list {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

func (a *apng) chunk(kind string, data []byte) {
	body := append([]byte(kind), data...)
	a.raw(words(uint32(len(data))))
	a.raw(body)
	a.raw(words(crc32.ChecksumIEEE(body)))
}

func (a *apng) raw(b []byte) {
	if a.err == nil {
		_, a.err = a.w.Write(b)
	}
}
