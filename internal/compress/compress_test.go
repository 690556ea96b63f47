package compress

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// pack compresses data with the writer under test.
func pack(t testing.TB, kind Kind, level int, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(kind, &b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpack reads to the end or the first error.
func unpack(t testing.TB, kind Kind, r io.Reader, limit Limit) ([]byte, *Reader, error) {
	t.Helper()
	z, err := NewReaderLimit(kind, r, limit)
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(z)
	if cerr := z.Close(); cerr != nil && err == nil {
		t.Error(cerr)
	}
	return data, z, err
}

// text is 300 KB that compress well, but not absurdly so.
var text = func() []byte {
	var b bytes.Buffer
	for i := range 6000 {
		b.WriteString(`{"ph":"X","name":"aten::mm","ts":`)
		b.WriteString(strings.Repeat(string(rune('0'+i%10)), 1+i*7%11))
		b.WriteString("},\n")
	}
	return b.Bytes()
}()

func TestRoundTrip(t *testing.T) {
	for _, kind := range []Kind{None, Gzip, Zstd} {
		for _, level := range []int{0, 1, 9} {
			packed := pack(t, kind, level, text)
			if got := Sniff(packed); got != kind {
				t.Errorf("%v: sniffed as %v", kind, got)
			}
			got, z, err := unpack(t, kind, iotest.OneByteReader(bytes.NewReader(packed)), Limit{})
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%v level %d: %d bytes, %v", kind, level, len(got), err)
			}
			if z.Consumed() != int64(len(packed)) || z.Produced() != int64(len(text)) {
				t.Errorf("%v: consumed %d of %d, produced %d of %d", kind, z.Consumed(), len(packed), z.Produced(), len(text))
			}
			if kind != None {
				two := append(bytes.Clone(packed), packed...)
				if got, _, err := unpack(t, kind, bytes.NewReader(two), Limit{}); err != nil || len(got) != 2*len(text) {
					t.Errorf("%v: two members gave %d bytes, %v", kind, len(got), err)
				}
			}
		}
	}
}

func TestSniff(t *testing.T) {
	for head, want := range map[string]Kind{
		"": None, "{": None, "\x1f\x8b": None, "\x1f\x8b\x08": Gzip, "\x28\xb5\x2f\xfd": Zstd,
		"\x50\x2a\x4d\x18": Zstd, "\x5f\x2a\x4d\x18....": Zstd, "\x60\x2a\x4d\x18": None, "PK\x03\x04": None,
	} {
		if got := Sniff([]byte(head)); got != want {
			t.Errorf("Sniff(%q) = %v, want %v", head, got, want)
		}
	}
}

func TestCutStreamGivesWhatInflates(t *testing.T) {
	for _, kind := range []Kind{Gzip, Zstd} {
		packed := pack(t, kind, 1, text)
		for _, cut := range []int{1, 5, 9, len(packed) / 2, len(packed) - 1} {
			got, _, err := unpack(t, kind, bytes.NewReader(packed[:cut]), Limit{})
			if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(text, got) {
				t.Errorf("%v cut at %d of %d: %d bytes, %v", kind, cut, len(packed), len(got), err)
			}
			if kind == Gzip && cut == len(packed)-1 && len(got) != len(text) {
				t.Errorf("gzip without its last byte gave %d of %d bytes", len(got), len(text))
			}
		}
		second := append(bytes.Clone(packed), packed[:len(packed)/2]...)
		if got, _, err := unpack(t, kind, bytes.NewReader(second), Limit{}); !errors.Is(err, io.ErrUnexpectedEOF) || len(got) < len(text) {
			t.Errorf("%v cut in the second member: %d bytes, %v", kind, len(got), err)
		}
	}
}

func TestBadStreams(t *testing.T) {
	packed := pack(t, Gzip, 0, text)
	if got, _, err := unpack(t, Gzip, strings.NewReader(string(packed)+"plain text behind"), Limit{}); !errors.Is(err, ErrTrailing) || len(got) != len(text) {
		t.Errorf("trailing text: %d bytes, %v", len(got), err)
	}
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 1
	if _, _, err := unpack(t, Gzip, bytes.NewReader(flipped), Limit{}); err == nil || !strings.HasPrefix(err.Error(), "compress: gzip: ") {
		t.Errorf("bad checksum: %v", err)
	}
	for _, kind := range []Kind{Gzip, Zstd} {
		if _, _, err := unpack(t, kind, strings.NewReader("neither of the two"), Limit{}); err == nil {
			t.Errorf("%v: plain text must be an error", kind)
		}
		boom := errors.New("disk gone")
		if _, _, err := unpack(t, kind, iotest.ErrReader(boom), Limit{}); !errors.Is(err, boom) {
			t.Errorf("%v: the source's error got lost: %v", kind, err)
		}
	}
	// A zstd frame that declares a window of 2 GiB must not get the memory.
	if _, _, err := unpack(t, Zstd, strings.NewReader("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"), Limit{}); err == nil {
		t.Error("a window of 2 GiB must be an error")
	}
	if _, err := NewReader(Kind(9), nil); err == nil {
		t.Error("reader of no kind")
	}
	for kind, level := range map[Kind]int{Gzip: 99, Zstd: 99, Kind(9): 0} {
		if _, err := NewWriter(kind, io.Discard, level); err == nil {
			t.Errorf("writer of %v level %d", kind, level)
		}
	}
	if s := Kind(9).String() + None.String(); s != "Kind(9)none" {
		t.Error(s)
	}
}

func TestBombIsStopped(t *testing.T) {
	zeros := make([]byte, 8<<20)
	for _, kind := range []Kind{Gzip, Zstd} {
		packed := pack(t, kind, 0, zeros)
		got, z, err := unpack(t, kind, bytes.NewReader(packed), Limit{MinBytes: 1 << 20, MaxRatio: 500})
		var ratio *RatioError
		if !errors.As(err, &ratio) || len(got) <= 1<<20 || len(got) >= len(zeros) {
			t.Errorf("%v: %d bytes, %v", kind, len(got), err)
		}
		if _, again := z.Read(make([]byte, 1)); again == nil {
			t.Errorf("%v: the error must stay", kind)
		}
		if got, _, err := unpack(t, kind, bytes.NewReader(packed), Limit{}); err != nil || len(got) != len(zeros) {
			t.Errorf("%v: 8 MiB lie below the default limit: %d bytes, %v", kind, len(got), err)
		}
		if got, _, err := unpack(t, kind, bytes.NewReader(packed), Limit{MaxRatio: -1}); err != nil || len(got) != len(zeros) {
			t.Errorf("%v: no limit: %d bytes, %v", kind, len(got), err)
		}
	}
	if got, _, err := unpack(t, None, bytes.NewReader(zeros), Limit{MinBytes: 1, MaxRatio: 0.5}); err != nil || len(got) != len(zeros) {
		t.Errorf("what is not compressed has no ratio: %d bytes, %v", len(got), err)
	}
}

// FuzzReader checks that no input panics and that the counts are right.
func FuzzReader(f *testing.F) {
	small := []byte(`{"traceEvents":[]}`)
	for _, kind := range []Kind{None, Gzip, Zstd} {
		packed := pack(f, kind, 0, small)
		f.Add(packed)
		f.Add(packed[:len(packed)-3])
		f.Add(append(bytes.Clone(packed), packed...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := NewReaderLimit(Sniff(data), bytes.NewReader(data), Limit{MinBytes: 1 << 20, MaxRatio: 500})
		if err != nil {
			return
		}
		n, err := io.Copy(io.Discard, io.LimitReader(z, 16<<20))
		if n != z.Produced() || z.Consumed() > int64(len(data)) {
			t.Fatalf("gave %d, counted %d, consumed %d of %d (%v)", n, z.Produced(), z.Consumed(), len(data), err)
		}
		_ = z.Close()
	})
}
