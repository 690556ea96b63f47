package unit

import (
	"math"
	"testing"
)

func TestDurString(t *testing.T) {
	for _, c := range []struct {
		in   Dur
		want string
	}{
		{0, "0 ns"}, {1, "1 ns"}, {412, "412 ns"}, {999, "999 ns"}, {-412, "-412 ns"},
		{1000, "1.00 µs"}, {9_994, "9.99 µs"}, {9_995, "10.0 µs"}, {24_240, "24.2 µs"},
		{999_949, "999.9 µs"}, {999_950, "1.00 ms"}, {1_530_000, "1.53 ms"},
		{250_100_000, "250.1 ms"}, {1_170_000_000, "1.17 s"}, {59_949_999_999, "59.9 s"},
		{59_950_000_000, "1m00s"}, {2*Minute + 3*Second, "2m03s"},
		{Hour - Second/2, "1h00m"}, {Hour + 2*Minute, "1h02m"}, {27 * Hour, "27h00m"},
		{math.MaxInt64, "2562047h47m"}, {math.MinInt64, "-2562047h47m"},
	} {
		if got := c.in.String(); got != c.want {
			t.Errorf("Dur(%d) = %q, want %q", int64(c.in), got, c.want)
		}
	}
}

func TestBytesString(t *testing.T) {
	for _, c := range []struct {
		in   Bytes
		want string
	}{
		{0, "0 B"}, {1023, "1023 B"}, {1024, "1.00 KiB"}, {-2048, "-2.00 KiB"},
		{4_225_762, "4.03 MiB"}, {10 * MiB, "10.0 MiB"}, {1023*KiB + 1000, "1.00 MiB"},
		{80 * GiB, "80.0 GiB"}, {3 * TiB, "3.00 TiB"}, {math.MaxInt64, "8388608.0 TiB"},
	} {
		if got := c.in.String(); got != c.want {
			t.Errorf("Bytes(%d) = %q, want %q", int64(c.in), got, c.want)
		}
	}
}

func TestPercentAndCountString(t *testing.T) {
	for _, c := range []struct {
		in   Percent
		want string
	}{
		{0, "0.0 %"}, {0.01, "<0.1 %"}, {-0.01, ">-0.1 %"}, {3.24, "3.2 %"}, {61, "61.0 %"},
		{99.96, ">99.9 %"}, {100, "100.0 %"}, {250, "250.0 %"}, {-4.25, "-4.2 %"},
		{Percent(math.NaN()), "?"}, {Percent(math.Inf(1)), "?"},
	} {
		if got := c.in.String(); got != c.want {
			t.Errorf("Percent(%v) = %q, want %q", float64(c.in), got, c.want)
		}
	}
	for in, want := range map[Count]string{
		0: "0", 999: "999", 1000: "1,000", 239012: "239,012", -1234567: "-1,234,567",
		math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := in.String(); got != want {
			t.Errorf("Count(%d) = %q, want %q", int64(in), got, want)
		}
	}
	if p, ok := Share(1, 4); !ok || p != 25 {
		t.Errorf("Share(1, 4) = %v, %v", p, ok)
	}
	if _, ok := Share(1, 0); ok {
		t.Error("Share(1, 0) must not exist")
	}
}

func TestParseDur(t *testing.T) {
	for in, want := range map[string]Dur{
		"0": 0, "0s": 0, "412 ns": 412, "1.5ms": 1_500_000, "24.2 µs": 24_200, "24.2μs": 24_200, "3us": 3000,
		"2m03s": 123 * Second, "1h02m": 62 * Minute, " -3s ": -3 * Second, "+1s": Second, ".5s": Second / 2,
		"1.s": Second, "0.3ns": 0, "0.5ns": 1, "9223372036854775807ns": math.MaxInt64,
		"1719321600.123456789s": 1_719_321_600_123_456_789,
	} {
		if got, err := ParseDur(in); err != nil || got != want {
			t.Errorf("ParseDur(%q) = %d, %v; want %d", in, int64(got), err, int64(want))
		}
	}
	for _, in := range []string{
		"", " ", "-", "5", "ms", ".ms", "1.5", "1 parsec", "1.2.3s", "--1s", "1e3s", "5ms x",
		"9223372036854775808ns", "99999999999999999999s", "2562048h", "1h9223372036854775807ns",
	} {
		if got, err := ParseDur(in); err == nil {
			t.Errorf("ParseDur(%q) = %d, want an error", in, int64(got))
		}
	}
}

func TestParseBytes(t *testing.T) {
	for in, want := range map[string]Bytes{
		"0": 0, "65536": 65536, "412 B": 412, "4KiB": 4096, "4K": 4096, "4kB": 4000, "1.5 GiB": 3 * GiB / 2,
		"2GB": 2e9, "64M": 64 * MiB, "1T": TiB, "0.5B": 1,
	} {
		if got, err := ParseBytes(in); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", in, int64(got), err, int64(want))
		}
	}
	for _, in := range []string{"", "-1", "B", "1XB", "1 GiB 2", "9000000TiB", "1mb", "18446744073709551616"} {
		if got, err := ParseBytes(in); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", in, int64(got))
		}
	}
}

// FuzzParseDur checks that a duration survives being written and read, up to
// the digits that are written.
func FuzzParseDur(f *testing.F) {
	for _, v := range []int64{0, 999, 9_995, 999_950, 59_950_000_000, math.MaxInt64, math.MinInt64} {
		f.Add(v, "1.5ms")
	}
	f.Fuzz(func(t *testing.T, v int64, text string) {
		_, _ = ParseDur(text)
		_, _ = ParseBytes(text)
		d := Dur(v)
		back, err := ParseDur(d.String())
		if err != nil {
			t.Fatalf("%d written as %q: %v", v, d, err)
		}
		tolerance := 0.009 * math.Abs(float64(d)) // half a second of a minute
		if tolerance < 9 {
			tolerance = 0 // whole nanoseconds
		}
		if math.Abs(float64(back)-float64(d)) > tolerance {
			t.Fatalf("%d written as %q read as %d", v, d, int64(back))
		}
	})
}
