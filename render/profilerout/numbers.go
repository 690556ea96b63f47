package profilerout

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// value is an optional number, 0 when absent, as in PyTorch.
func value(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// micros gives nanoseconds in PyTorch's unit, which is a float there too.
func micros(ns int64) float64 { return float64(ns) / 1000 }

func mean(us float64, count int64) float64 {
	if count == 0 {
		return 0
	}
	return us / float64(count)
}

// duration writes microseconds.
func duration(us float64) string {
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%.3fs", us/1e6)
	case us >= 1e3:
		return fmt.Sprintf("%.3fms", us/1e3)
	}
	return fmt.Sprintf("%.3fus", us)
}

func share(us, total float64) string {
	if total == 0 {
		return "NaN"
	}
	return fmt.Sprintf("%.2f%%", us*100/total)
}

// amount writes bytes.
func (t *table) amount(bytes *int64) string {
	n := value(bytes)
	last := "B"
	if t.Legacy {
		last = "b"
	}
	for _, u := range []struct {
		name string
		size int64
	}{{" G", 1 << 30}, {" M", 1 << 20}, {" K", 1 << 10}} {
		if n >= u.size || -n >= u.size {
			return fmt.Sprintf("%.2f", float64(n)/float64(u.size)) + u.name + last
		}
	}
	return strconv.FormatInt(n, 10) + " " + last
}

// flopsScale is the unit of a column of operations; the zero is no column.
type flopsScale struct {
	unit   string
	factor float64
}

// scaleOf picks the unit by the smallest number of the column.
func scaleOf(smallest int64) flopsScale {
	units := []string{"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"}
	factors := []float64{1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15}
	i := 0
	for ; smallest >= 1000 && i < len(units)-1; smallest /= 1000 {
		i++
	}
	return flopsScale{units[i], factors[i]}
}

func (f flopsScale) text(n int64) string {
	if n <= 0 {
		return "--"
	}
	return fmt.Sprintf("%8.3f", float64(n)*f.factor)
}

func runes(s string) int { return utf8.RuneCountInString(s) }

// front is the first n characters of s.
func front(s string, n int) string {
	if len(s) <= n || runes(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}

// cutName shortens a name that is too long for its column.
func cutName(s string) string {
	if runes(s) < maxName-3 {
		return s
	}
	return front(s, maxName-3) + "..."
}

// endOf is the end of a path.
func endOf(s string, n int) string {
	if runes(s) <= n {
		return s
	}
	r := []rune(s)
	r = r[len(r)-n:]
	if len(r) > 3 {
		return "..." + string(r[3:])
	}
	return string(r)
}
