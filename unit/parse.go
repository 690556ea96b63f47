package unit

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// scale is one unit name. Scales are tried in order, so a name stands before its
// own prefixes: "ms" before "m".
type scale struct {
	name string
	size uint64
}

var durScales = []scale{
	{"ns", uint64(Nanosecond)},
	{"us", uint64(Microsecond)}, {"µs", uint64(Microsecond)}, {"μs", uint64(Microsecond)},
	{"ms", uint64(Millisecond)},
	{"s", uint64(Second)}, {"m", uint64(Minute)}, {"h", uint64(Hour)},
}

var byteScales = []scale{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40},
	{"B", 1}, {"", 1},
}

// ParseDur reads a length of time as a person writes it: decimal numbers, each
// with one of the units ns, us, µs, ms, s, m, h, added up ("1.5ms", "24.2 µs",
// "2m03s", "-3s"). It reads whatever Dur.String writes. A plain "0" needs no
// unit. It is exact: no float is involved, and what lies below a nanosecond is
// rounded, halves up. The error names the text and the accepted form; numbers that
// do not fit in 64 bits are an error too.
func ParseDur(text string) (Dur, error) {
	rest, negative := cutSign(strings.TrimSpace(text))
	if rest == "0" {
		return 0, nil
	}
	var sum uint64
	for first := true; first || rest != ""; first = false {
		v, after, ok := parseTerm(rest, durScales)
		if sum += v; !ok || sum > math.MaxInt64 {
			return 0, fmt.Errorf("bad duration %q: want a number with a unit, such as 250ms, 1.5s or 2m03s", text)
		}
		rest = strings.TrimSpace(after)
	}
	if negative {
		return -Dur(sum), nil
	}
	return Dur(sum), nil
}

// ParseBytes reads an amount of bytes as a person writes it: a decimal number
// and a unit. KiB, MiB, GiB, TiB and the bare letters K, M, G, T are powers of
// 1024; kB, KB, MB, GB, TB are powers of 1000; B or nothing is bytes. It reads
// whatever Bytes.String writes. Negative amounts, and those that do
// not fit in 64 bits, are errors.
func ParseBytes(text string) (Bytes, error) {
	v, rest, ok := parseTerm(strings.TrimSpace(text), byteScales)
	if !ok || rest != "" {
		return 0, fmt.Errorf("bad size %q: want a number with a unit, such as 512MiB, 4GB or 65536", text)
	}
	return Bytes(v), nil
}

// cutSign takes one leading sign off s.
func cutSign(s string) (rest string, negative bool) {
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		return rest, true
	}
	return strings.TrimPrefix(s, "+"), false
}

// parseTerm reads one number with its unit at the start of s.
func parseTerm(s string, scales []scale) (v uint64, rest string, ok bool) {
	whole, n := digits(s)
	s = s[n:]
	var frac, pow uint64 = 0, 1
	if after, found := strings.CutPrefix(s, "."); found {
		m := 0
		for m < len(after) && isDigit(after[m]) {
			if pow < 1e18 {
				frac, pow = frac*10+uint64(after[m]-'0'), pow*10
			}
			m++
		}
		n, s = n+m, after[m:]
	}
	if n == 0 || whole == math.MaxUint64 {
		return 0, "", false
	}
	s = strings.TrimLeft(s, " ")
	for _, sc := range scales {
		after, found := strings.CutPrefix(s, sc.name)
		if !found {
			continue
		}
		hi, lo := bits.Mul64(whole, sc.size)
		fhi, flo := bits.Mul64(frac, sc.size)
		q, r := bits.Div64(fhi, flo, pow) // frac < pow, so fhi < pow
		if r >= pow-r {
			q++
		}
		sum, carry := bits.Add64(lo, q, 0)
		return sum, after, hi == 0 && carry == 0 && sum <= math.MaxInt64
	}
	return 0, "", false
}

// digits reads leading decimal digits; the value is the largest integer when
// they do not fit.
func digits(s string) (v uint64, n int) {
	for n < len(s) && isDigit(s[n]) {
		if v > (math.MaxUint64-9)/10 {
			v = math.MaxUint64
		} else {
			v = v*10 + uint64(s[n]-'0')
		}
		n++
	}
	return v, n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
