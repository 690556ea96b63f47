package kineto

import (
	"bytes"
	"math"
	"strconv"
)

// scanInt reads the integer at b[i], in quotes or not. ok is false when there
// is none, or when it is followed by a fraction or exponent.
func scanInt(b []byte, i int) (v int64, end int, ok bool) {
	if b[i] == '"' {
		v, end, ok = scanInt(b, i+1)
		if !ok || b[end] != '"' {
			return 0, i, false
		}
		return v, end + 1, true
	}
	s, neg := i, b[i] == '-'
	if neg {
		i++
	}
	first := i
	for d := b[i] - '0'; d <= 9; d = b[i] - '0' {
		v = v*10 + int64(d)
		i++
	}
	if i == first || isBare[b[i]] {
		return 0, s, false
	}
	if i-first > 18 {
		return saturated(b[first:i], neg), i, true
	}
	if neg {
		v = -v
	}
	return v, i, true
}

// scanID is scanInt for an id, which may have a fraction of zeros: tables written
// by pandas have 7.0 for 7.
func scanID(b []byte, i int) (v int64, end int, ok bool) {
	if v, end, ok = scanInt(b, i); ok {
		return v, end, true
	}
	end = max(bareEnd(b, i), i)
	whole, zeros, found := bytes.Cut(b[i:end], []byte("."))
	if !found || len(bytes.Trim(zeros, "0")) > 0 || len(zeros) == 0 {
		return 0, i, false
	}
	v, err := strconv.ParseInt(string(whole), 10, 64)
	return v, end, err == nil
}

// saturated parses more digits than an int64 surely holds; ids beyond it keep
// their 64 bits when they fit an unsigned number, and stop at the top otherwise.
func saturated(digits []byte, neg bool) int64 {
	var v uint64
	for _, d := range digits {
		if v > (math.MaxUint64-uint64(d-'0'))/10 {
			v = math.MaxInt64
			break
		}
		v = v*10 + uint64(d-'0')
	}
	if neg {
		return -int64(min(v, math.MaxInt64))
	}
	return int64(v)
}

// scanMicros reads a time in decimal microseconds, in quotes or not, as
// nanoseconds, exactly: no float comes near it, since absolute times have 19
// digits and a float64 keeps 16. Digits beyond the nanosecond are cut.
func scanMicros(b []byte, i int) (ns int64, end int, ok bool) {
	if b[i] == '"' {
		ns, end, ok = scanMicros(b, i+1)
		for ok && b[end] <= ' ' { // Ascend pads: "2413.57\t"
			end++
		}
		if !ok || b[end] != '"' {
			return 0, i, false
		}
		return ns, end + 1, true
	}
	s, neg := i, b[i] == '-'
	if neg {
		i++
	}
	first := i
	for d := b[i] - '0'; d <= 9; d = b[i] - '0' {
		ns = ns*10 + int64(d)
		i++
	}
	if i == first || i-first > 15 && !fitsMicros(b[first:i]) {
		return slowMicros(b, s)
	}
	ns *= 1000
	if b[i] == '.' {
		i++
		for m := int64(100); ; i++ {
			d := b[i] - '0'
			if d > 9 {
				break
			}
			ns += int64(d) * m
			m /= 10
		}
	}
	if isBare[b[i]] {
		return slowMicros(b, s)
	}
	if neg {
		ns = -ns
	}
	return ns, i, true
}

// fitsMicros says whether whole microseconds fit an int64 of nanoseconds.
func fitsMicros(digits []byte) bool {
	return len(digits) < 16 || len(digits) == 16 && string(digits) < "9223372036854775"
}

// slowMicros reads the rare spellings: an exponent, a time out of range (it is
// held at the end of the range). Literals such as inf are no time.
func slowMicros(b []byte, i int) (ns int64, end int, ok bool) {
	end = bareEnd(b, i)
	if end < 0 {
		return 0, i, false
	}
	digits, exp, neg, ok := decimal(b[i:end])
	if !ok {
		return 0, i, false
	}
	return shifted(digits, exp+3, neg), end, true
}

// decimal takes a JSON number apart: its digits without the point, and the
// power of ten of the last one.
func decimal(s []byte) (digits []byte, exp int, neg, ok bool) {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	point := -1
	k := 0
	for ; k < len(s); k++ {
		switch c := s[k]; {
		case c-'0' <= 9:
			digits = append(digits, c)
		case c == '.' && point < 0:
			point = len(digits)
		default:
			goto tail
		}
	}
tail:
	if len(digits) == 0 {
		return nil, 0, false, false
	}
	if point >= 0 {
		exp = point - len(digits)
	}
	if k == len(s) {
		return digits, exp, neg, true
	}
	if s[k]|0x20 != 'e' {
		return nil, 0, false, false
	}
	e, ok := smallExp(s[k+1:])
	return digits, exp + e, neg, ok
}

func smallExp(s []byte) (int, bool) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	if len(s) == 0 {
		return 0, false
	}
	e := 0
	for _, c := range s {
		if c-'0' > 9 {
			return 0, false
		}
		e = min(e*10+int(c-'0'), 1<<20)
	}
	if neg {
		e = -e
	}
	return e, true
}

// shifted returns digits times ten to exp as an integer, held within int64.
func shifted(digits []byte, exp int, neg bool) int64 {
	if exp < 0 {
		digits, exp = digits[:max(0, len(digits)+max(exp, -len(digits)))], 0
	}
	var v uint64
	for k := 0; k < len(digits)+exp; k++ {
		var d byte
		if k < len(digits) {
			d = digits[k] - '0'
		}
		if v > (math.MaxInt64-9)/10 {
			v = math.MaxInt64
			break
		}
		if v = v*10 + uint64(d); v == 0 && k >= len(digits) {
			break
		}
	}
	if neg {
		return -int64(v)
	}
	return int64(v)
}
