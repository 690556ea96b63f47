// Package unit turns base units (nanoseconds, bytes, percent, counts) into
// text for people and back. It is the one place where numbers become text, so
// that the same number looks the same in every table, page and message.
//
// It holds no tables and no widths (packages table and render/text do), and it does not
// parse the time stamps of traces: their readers do, with their own formats.
package unit

import (
	"math"
	"strconv"
)

// Bytes is an amount of memory or storage in bytes.
type Bytes int64

// Amounts that code names: IEC units, powers of 1024.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	TiB Bytes = 1 << 40
)

// String writes b for a person with IEC units, powers of 1024, because that is
// how device memory is sold and reported: whole bytes below 1 KiB ("412 B"),
// then two decimals below 10 ("4.03 MiB") and one from 10 on ("80.0 GiB"). The
// unit is chosen after rounding.
func (b Bytes) String() string {
	abs, sign := magnitude(int64(b))
	if abs < uint64(KiB) {
		return sign + strconv.FormatUint(abs, 10) + " B"
	}
	size := uint64(KiB)
	for _, name := range []string{" KiB", " MiB", " GiB"} {
		if s, ok := scaled(abs, size, 10_240); ok {
			return sign + s + name
		}
		size <<= 10
	}
	s, _ := scaled(abs, size, math.MaxUint64)
	return sign + s + " TiB"
}

// Percent is a share in percent: 61.0 is 61 %. It is not clamped.
type Percent float64

// Share gives part of whole in percent; ok is false when whole is 0, where no share exists.
func Share(part, whole int64) (p Percent, ok bool) {
	if whole == 0 {
		return 0, false
	}
	return Percent(100 * float64(part) / float64(whole)), true
}

// String writes p for a person with one decimal ("61.0 %"). What is not quite
// 0 or not quite 100 never looks like it: "<0.1 %", ">99.9 %". What is no
// number is "?".
func (p Percent) String() string {
	v := float64(p)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "?"
	case v == 0:
		return "0.0 %"
	case v > 0 && v < 0.05:
		return "<0.1 %"
	case v > 99.9 && v < 100:
		return ">99.9 %"
	case v < 0 && v > -0.05:
		return ">-0.1 %"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " %"
}

// Count is a number of things.
type Count int64

// String writes c with a comma between groups of three digits ("239,012").
func (c Count) String() string {
	abs, sign := magnitude(int64(c))
	digits := strconv.FormatUint(abs, 10)
	out := make([]byte, 0, len(digits)+len(digits)/3+1)
	out = append(out, sign...)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return string(out)
}
