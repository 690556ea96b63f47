package timeline

const blockBits = 13

// blocks is an append-only list that never copies what it holds: growing by
// doubling would touch fresh memory twice.
type blocks[T any] struct {
	b [][]T
	n int
}

func (l *blocks[T]) push(v T) {
	if l.n>>blockBits == len(l.b) {
		l.b = append(l.b, make([]T, 0, 1<<blockBits))
	}
	k := l.n >> blockBits
	l.b[k] = append(l.b[k], v)
	l.n++
}

func (l *blocks[T]) at(i uint32) *T { return &l.b[i>>blockBits][i&(1<<blockBits-1)] }

func (l *blocks[T]) last() *T { return l.at(uint32(l.n - 1)) }
