package chrome

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
)

// integer reads a number, in quotes or not.
func integer(token []byte) (int64, bool) {
	if len(token) == 0 || token[0]-'0' > 9 && token[0] != '-' && token[0] != '"' {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.Trim(token, `"`)), 10, 64)
	return n, err == nil
}

// likeInteger writes a number as token was, in quotes or not.
func likeInteger(token []byte, n int64) []byte {
	text := strconv.AppendInt(nil, n, 10)
	if token[0] == '"' {
		text = append(append([]byte{'"'}, text...), '"')
	}
	return text
}

// hexadecimal reads an id such as "0x1f", as Chrome writes them.
func hexadecimal(token []byte) (int64, bool) {
	text, ok := strings.CutPrefix(string(bytes.Trim(token, `"`)), "0x")
	n, err := strconv.ParseInt(text, 16, 64)
	return n, ok && err == nil
}

func quotedHex(n int64) []byte { return append(strconv.AppendInt([]byte(`"0x`), n, 16), '"') }

// shifted adds nanoseconds to a time in decimal microseconds, in quotes or not,
// exactly: digits are kept, however many there are. What is no number is returned as
// it is.
func shifted(token []byte, ns int64) []byte {
	if ns == 0 {
		return token
	}
	if len(token) > 0 && token[0] == '"' {
		inner := shifted(bytes.TrimSpace(bytes.Trim(token, `"`)), ns)
		return append(append([]byte{'"'}, inner...), '"')
	}
	if text, ok := shiftedShort(token, ns); ok {
		return text
	}
	number, exp, hasExp := bytes.Cut(bytes.ToLower(token), []byte("e"))
	whole, fraction, _ := bytes.Cut(number, []byte("."))
	e := 0
	if hasExp {
		var err error
		if e, err = strconv.Atoi(string(exp)); err != nil || e > 40 || e < -40 {
			return token
		}
	}
	m, ok := new(big.Int).SetString(string(whole)+string(fraction), 10)
	if !ok {
		return token
	}
	places := len(fraction) - e // the time is m / 10^places microseconds
	return decimal(m, places, ns)
}

// shiftedShort is shifted for times as nearly all are: not negative, three decimals at most,
// and no more digits than an int64 holds.
func shiftedShort(token []byte, ns int64) ([]byte, bool) {
	t, places, point := int64(0), 0, false
	if len(token) > 18 {
		return nil, false
	}
	for _, c := range token {
		switch {
		case c == '.' && !point:
			point = true
		case c-'0' <= 9:
			t = t*10 + int64(c-'0')
			if point {
				places++
			}
		default:
			return nil, false
		}
	}
	if places > 3 || point && places == 0 {
		return nil, false
	}
	for range 3 - places {
		t *= 10
	}
	if sum := t + ns; t >= 0 && sum >= 0 && (ns > 0) == (sum > t) {
		text := appendMicros(nil, sum)
		p := 3
		for ; p > places && text[len(text)-1] == '0'; p-- {
			text = text[:len(text)-1]
		}
		return bytes.TrimSuffix(text, []byte(".")), true
	}
	return nil, false
}

// decimal writes m / 10^places microseconds plus ns, with no fewer decimals than
// places, and no more than are needed beyond that.
func decimal(m *big.Int, places int, ns int64) []byte {
	p := max(places, 3)
	sum := new(big.Int).Mul(m, power(p-places))
	sum.Add(sum, new(big.Int).Mul(big.NewInt(ns), power(p-3)))
	sign := sum.Sign()
	digits := sum.Abs(sum).Append(nil, 10)
	for len(digits) <= p {
		digits = append([]byte{'0'}, digits...)
	}
	cut := len(digits)
	for ; p > max(places, 0) && digits[cut-1] == '0'; p-- {
		cut--
	}
	var text []byte
	if sign < 0 {
		text = append(text, '-')
	}
	text = append(text, digits[:cut-p]...)
	if p > 0 {
		text = append(append(text, '.'), digits[cut-p:cut]...)
	}
	return text
}

func power(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
