package redact

import (
	"bytes"
	"context"
	"io"
	"os"

	"reel/reelfile"
)

// recording is one of Reel's own. Its texts keep their length: every byte of the
// file has its place.
type recording struct{}

// texts calls do for each text of the file.
func (recording) texts(ctx context.Context, path string, do func(reelfile.Text) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	return reelfile.Texts(in, st.Size(), path, func(t reelfile.Text) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return do(t)
	})
}

func (r recording) learn(ctx context.Context, path string, f *facts) error {
	return r.texts(ctx, path, func(t reelfile.Text) error {
		j := &jsonCopy{f: f}
		switch {
		case t.Loose:
		case t.Host:
			f.word(Host, string(t.Bytes))
		default:
			j.learn(t.Bytes, meaningOf(t.Prop))
		}
		return nil
	})
}

func (r recording) write(ctx context.Context, path, temp string, f *facts, t tally) error {
	out, err := os.OpenFile(temp, os.O_RDWR|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := copyFile(ctx, path, out); err != nil {
		return err
	}
	err = r.texts(ctx, path, func(x reelfile.Text) error {
		list, place := f.edits(x.Bytes), "texts"
		switch _, kind := meaningOf(x.Prop).instead(&args{}, x.Bytes); {
		case x.Loose:
			list, place = f.looseEdits(x.Bytes), "damaged part"
		case x.Host:
			list, place = []edit{{0, len(x.Bytes), Host, ""}}, "host"
		case x.Prop != "" && kind != "":
			list, place = []edit{{0, len(x.Bytes), kind, ""}}, "property "+x.Prop
		}
		for _, e := range list {
			t.add(e.kind, place)
		}
		to := fill(x.Bytes, list)
		if bytes.Equal(to, x.Bytes) {
			return nil
		}
		_, err := out.WriteAt(to, x.At)
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// looseEdits are the edits of bytes that are no one text: NULs there are no
// environment.
func (f *facts) looseEdits(b []byte) (out []edit) {
	for at := 0; at < len(b); {
		n := bytes.IndexByte(b[at:], 0)
		if n < 0 {
			n = len(b) - at
		}
		for _, e := range f.edits(b[at : at+n]) {
			e.lo, e.hi = e.lo+at, e.hi+at
			out = append(out, e)
		}
		at += n + 1
	}
	return out
}

func (recording) check(temp string, f *facts) error { return checkBytes(temp, f) }

// copyFile copies the file at path to out.
func copyFile(ctx context.Context, path string, out io.Writer) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(out, &reader{ctx, in})
	return err
}
