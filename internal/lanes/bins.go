package lanes

// Grid is a row of columns of equal width: column k is [(First+k)·Width,
// (First+k+1)·Width), on the time of the lanes.
type Grid struct {
	First int64
	Width float64 // ns
	N     int
}

// Edge returns where column k begins, ns.
func (g *Grid) Edge(k int) float64 { return float64(g.First+int64(k)) * g.Width }

// Bin is one column of a lane.
type Bin struct {
	// Cover is 0 when nothing lies in the column, else 1 (nearly nothing, or an
	// interval without length) to 255 (all of it covered).
	Cover uint8
	Long  int32 // the longest interval in the column, when there is one
}

// MinWide is from how many columns on an interval is wide.
const MinWide = 3

// Bins fills out, of length g.N, and calls wide, when not nil, for intervals that are
// MinWide columns or longer, each once. It reports whether anything lies in the grid.
func (l *Lane) Bins(g Grid, out []Bin, wide func(id int32)) bool {
	if len(l.ids) == 0 {
		clear(out[:g.N])
		return false
	}
	any := false
	a := g.Edge(0)
	i, last := l.from(a), int32(-1)
	sum := l.before(i)
	for k := range g.N {
		b := g.Edge(k + 1)
		j, total := i, sum
		if i < len(l.ids) && float64(l.start(i)) < b {
			j = l.next(i, b)
			total = l.before(j)
		}
		lo, cover := i, float64(total-sum)
		if i > 0 && float64(l.end(i-1)) > a {
			lo = i - 1
			cover += min(float64(l.end(lo)), b) - a
		}
		if j > i { // the last reaches past the column
			cover -= max(0, float64(l.end(j-1))-b)
		}
		if lo == j {
			out[k] = Bin{}
		} else {
			best := l.longestOf(lo, j)
			out[k], any = Bin{quantum(cover / g.Width), l.ids[best.at]}, true
			if wide != nil && best.at > last && float64(best.dur) >= MinWide*g.Width {
				wide(l.ids[best.at])
				last = best.at
			}
		}
		a, i, sum = b, j, total
	}
	return any
}

// next is from, for a search that begins at position i and most often ends near it.
func (l *Lane) next(i int, t float64) int {
	if b := i/block + 1; b < len(l.starts) && float64(l.starts[b]) < t {
		return l.from(t)
	}
	for i < len(l.ids) && float64(l.start(i)) < t {
		i++
	}
	return i
}

// quantum turns a share into a Cover of something.
func quantum(share float64) uint8 {
	return uint8(1 + 254*min(max(share, 0), 1) + 0.5)
}
