package timeline

// Timestamps in whole microseconds are cut, not rounded, start and duration
// apart, so a child can seem to outlast its parent by just under two.
const overhang = 2000 // ns

// maxWalk bounds the search for a parent among ranges that overlap in part.
const maxWalk = 256

// nest finds every range's parent: the innermost range of its track that holds
// it. A range that overlaps another in part is not its child, but may be the
// child of one further out (asynchronous ranges do this).
func nest(t *Timeline) {
	r := &t.Ranges
	var stack []RangeID
	for k, lo := range t.hostLo {
		stack = stack[:0]
		hi := len(r.Start)
		if k+1 < len(t.hostLo) {
			hi = t.hostLo[k+1]
		}
		for i := lo; i < hi; i++ {
			start, end := r.Start[i], r.Start[i]+r.Dur[i]
			for len(stack) > 0 && r.End(stack[len(stack)-1]) <= start {
				stack = stack[:len(stack)-1]
			}
			r.Parent[i] = NoRange
			for k, n := len(stack)-1, 0; k >= 0 && n < maxWalk; k, n = k-1, n+1 {
				if pe := r.End(stack[k]); pe > start && end <= pe+overhang {
					r.Parent[i] = stack[k]
					break
				}
			}
			stack = append(stack, RangeID(i))
		}
	}
}
