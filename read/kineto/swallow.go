package kineto

// longEvent is the length from which an event is suspected to have swallowed those
// behind it: a bracket that is never closed makes them part of its arguments.
const longEvent = 2 << 10

// runsOn says that the event at b[i], which does not end in b, is followed by
// another all the same, and makes the parser wary if so.
func (p *parser) runsOn(b []byte, i int) bool {
	p.wary = p.wary || swallows(b, i, len(b)-padding)
	return p.wary
}

// swallows says that another event seems to start in the event b[i:end], and that the
// text up to there or further on is not JSON: arguments may hold what looks like events.
func swallows(b []byte, i, end int) bool {
	if nextLike(b, i, end) == end {
		return false
	}
	var s strict
	e := s.value(b, i)
	return e < 0 && fault(b, e) == damaged
}
