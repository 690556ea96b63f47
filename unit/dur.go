package unit

import (
	"strconv"
	"time"
)

// Dur is a length of time in nanoseconds. Zero is a real length of zero, never "unset".
type Dur int64

// Lengths of time that code names.
const (
	Nanosecond  Dur = 1
	Microsecond     = 1000 * Nanosecond
	Millisecond     = 1000 * Microsecond
	Second          = 1000 * Millisecond
	Minute          = 60 * Second
	Hour            = 60 * Minute
)

// Std gives d as the standard library's type.
func (d Dur) Std() time.Duration { return time.Duration(d) }

// Seconds gives d in seconds, for ratios and rates.
func (d Dur) Seconds() float64 { return float64(d) / float64(Second) }

// String writes d for a person, by one rule: whole nanoseconds below a
// microsecond ("412 ns"); then the largest unit of µs, ms and s that gives at
// least 1, with two decimals below 10 ("1.53 ms") and one from 10 on
// ("24.2 µs", "250.1 ms"); from a minute on minutes and seconds ("2m03s"), and
// from an hour on hours and minutes ("1h02m"). Halves are rounded away from zero, and
// the unit is chosen after rounding, so "1000.0 µs" is never written.
func (d Dur) String() string {
	abs, sign := magnitude(int64(d))
	if abs < uint64(Microsecond) {
		return sign + strconv.FormatUint(abs, 10) + " ns"
	}
	for _, u := range []struct {
		size  uint64
		name  string
		limit uint64 // first tenth of the unit that belongs to the next one
	}{
		{uint64(Microsecond), " µs", 10_000},
		{uint64(Millisecond), " ms", 10_000},
		{uint64(Second), " s", 600},
	} {
		if s, ok := scaled(abs, u.size, u.limit); ok {
			return sign + s + u.name
		}
	}
	if sec := divRound(abs, uint64(Second)); sec < 3600 {
		return sign + strconv.FormatUint(sec/60, 10) + "m" + two(sec%60) + "s"
	}
	minutes := divRound(abs, uint64(Minute))
	return sign + strconv.FormatUint(minutes/60, 10) + "h" + two(minutes%60) + "m"
}

// scaled writes v/size with two decimals below 10 and one from there on; it
// reports false when the rounded number has limit tenths or more.
func scaled(v, size, limit uint64) (string, bool) {
	if v/size < 10 { // so that v*100 cannot overflow
		if h := divRound(v%size*100, size) + v/size*100; h < 1000 {
			return strconv.FormatUint(h/100, 10) + "." + two(h%100), true
		}
	}
	t := v/size*10 + divRound(v%size*10, size)
	if t >= limit {
		return "", false
	}
	return strconv.FormatUint(t/10, 10) + "." + strconv.FormatUint(t%10, 10), true
}

// divRound divides and rounds halves up.
func divRound(a, b uint64) uint64 {
	q, r := a/b, a%b
	if r >= b-r {
		q++
	}
	return q
}

// two writes v below 100 with two digits.
func two(v uint64) string {
	return string([]byte{byte('0' + v/10), byte('0' + v%10)})
}

// magnitude splits v into its absolute value, right for the smallest integer
// too, and "-" or "".
func magnitude(v int64) (uint64, string) {
	if v < 0 {
		return -uint64(v), "-"
	}
	return uint64(v), ""
}
