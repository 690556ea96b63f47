package webui

import "slices"

// again finds a thing of an earlier state of the run. References are positions, which
// move when the run is read anew; rank, kind, name and start stay. It is the item, or
// nothing when the run no longer holds it.
func (st *state) again(q *query) (any, error) {
	kind := q.word("kind", "h", "d", "p", "f")[0]
	rank, start := q.int("rank", 0, -1<<31, 1<<31), q.int("start", 0, -1<<60, 1<<60)
	if q.err != nil {
		return nil, q.err
	}
	i := slices.IndexFunc(st.pic.ranks, func(r *rankPicture) bool { return int64(r.rank.Index) == rank })
	if i < 0 {
		return struct{}{}, nil
	}
	p := st.pic.ranks[i]
	c := p.columns(kind)
	for id, at := range c.Start {
		if at-c.Base == start && p.label(kind, id, detailName) == q.v.Get("name") {
			return st.itemOf(ref{i, kind, id}), nil
		}
	}
	return struct{}{}, nil
}
