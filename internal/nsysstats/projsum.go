package nsysstats

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"reel/table"
	"reel/timeline"
)

// projected is a named range with what was launched in it.
type projected struct {
	p     *projection
	r     timeline.RangeID
	track timeline.TrackID
	style style
}

// projections lists the named ranges that launched something, and notes what it
// leaves out. It is nil, and the report skipped, when there is nothing to list.
func (b *build) projections() []projected {
	var out []projected
	n, named := noted{}, false
	for _, in := range b.ins {
		p := in.project(&n)
		for _, track := range in.tl.HostTracks() {
			t := &in.tl.Tracks[track]
			for i := t.Lo; i < t.Hi; i++ {
				r := timeline.RangeID(i)
				if !in.isNamed(r, track) {
					continue
				}
				named = true
				switch {
				case in.isOpen(r):
					n.open++
				case p.ops[r] > 0:
					out = append(out, projected{p, r, track, in.styleOf(r, track)})
				}
			}
		}
	}
	switch {
	case !named:
		b.skip(noRanges[both])
	case n.activities == 0:
		b.skip("CUDA trace")
	default:
		b.note("Times from the first GPU operation launched within a range to the end of the last, gaps included.")
		b.tell(n)
	}
	return out
}

// projSum summarises ranges as they cover the device.
func (b *build) projSum() {
	list := b.projections()
	if b.Skipped != "" {
		return
	}
	b.Cols = append(words([]string{"Range", "Style"}), Col{"Total Proj Time (ns)", 0}, Col{"Total Range Time (ns)", 0}, Col{"Range Instances", 0},
		Col{"Proj Avg (ns)", 1}, Col{"Proj Med (ns)", 1}, Col{"Proj Min (ns)", 0}, Col{"Proj Max (ns)", 0}, Col{"Proj StdDev (ns)", 1},
		Col{"Total GPU Ops", 0}, Col{"Avg GPU Ops", 1}, Col{"Avg Range Lvl", 1}, Col{"Avg Num Child", 1})
	s := newGrouped()
	type sums struct{ host, ops, level, kids int64 }
	var by []sums
	for _, x := range list {
		p := x.p
		g := s.id(p.in.name(x.r), x.style.String())
		if int(g) == len(by) {
			by = append(by, sums{})
		}
		u := &by[g]
		u.host, u.ops = plus(u.host, p.in.tl.Ranges.Dur[x.r]), u.ops+int64(p.ops[x.r])
		u.level, u.kids = u.level+int64(p.level[x.r]), u.kids+int64(p.kids[x.r])
		s.add(g, p.last[x.r]-p.first[x.r])
	}
	for m := range s.measure().all() {
		u, n := by[m.key], float64(m.n)
		b.rows = append(b.rows, []table.Cell{table.Str(s.key(m.key)[0]), table.Str(s.key(m.key)[1]), table.Int(m.total), table.Int(u.host), table.Int(int64(m.n)),
			table.Float(m.avg), table.Float(m.med), table.Int(m.min), table.Int(m.max), table.Float(m.dev),
			table.Int(u.ops), table.Float(float64(u.ops) / n), table.Float(float64(u.level) / n), table.Float(float64(u.kids) / n)})
	}
}

// projTrace lists ranges as they cover the device, in the order in which they do.
// Ids count from 1 in the order of the list; a parent that launched nothing that
// is not its child's is in the list all the same.
func (b *build) projTrace() {
	list := b.projections()
	if b.Skipped != "" {
		return
	}
	b.Cols = append(words([]string{"Name"}), Col{"Projected Start (ns)", 0}, Col{"Projected Duration (ns)", 0}, Col{"Orig Start (ns)", 0}, Col{"Orig Duration (ns)", 0},
		Col{"Style", text}, Col{"PID", 0}, Col{"TID", 0}, Col{"NumGPUOps", 0}, Col{"Lvl", 0}, Col{"NumChild", 0}, Col{"RangeId", 0}, Col{"ParentId", 0}, Col{"RangeStack", text})
	slices.SortStableFunc(list, func(x, y projected) int {
		return cmp.Or(cmp.Compare(x.p.first[x.r], y.p.first[y.r]), cmp.Compare(x.p.in.tl.Ranges.Start[x.r], y.p.in.tl.Ranges.Start[y.r]))
	})
	ids := map[*projection][]int64{}
	for i, x := range list {
		if ids[x.p] == nil {
			ids[x.p] = make([]int64, len(x.p.ops))
		}
		ids[x.p][x.r] = int64(i + 1)
	}
	for i, x := range list {
		p, tl := x.p, x.p.in.tl
		t := &tl.Tracks[x.track]
		parent, stack := p.stack(x, ids[p])
		b.rows = append(b.rows, []table.Cell{table.Str(p.in.name(x.r)), table.Int(p.first[x.r]), table.Int(p.last[x.r] - p.first[x.r]),
			table.Int(tl.Ranges.Start[x.r]), table.Int(tl.Ranges.Dur[x.r]), table.Str(x.style.String()), table.Int(t.A), table.Int(t.B),
			table.Int(int64(p.ops[x.r])), table.Int(int64(p.level[x.r])), table.Int(int64(p.kids[x.r])), table.Int(int64(i + 1)), parent, table.Str(stack)})
	}
}

// maxStack bounds the ranges that are written out around one.
const maxStack = 256

// stack is the id of the range around x, absent for none, and the ids from the
// outermost to x itself, as ":1:2:3".
func (p *projection) stack(x projected, ids []int64) (parent table.Cell, stack string) {
	list := []string{strconv.FormatInt(ids[x.r], 10)}
	for r := x.r; len(list) < maxStack; {
		up := p.in.parent[r]
		if x.style == startEnd || up == timeline.NoRange || p.above[up] == timeline.NoRange {
			break
		}
		if r = p.above[up]; ids[r] == 0 { // an open one
			continue
		}
		if parent.IsAbsent() {
			parent = table.Int(ids[r])
		}
		list = append(list, strconv.FormatInt(ids[r], 10))
	}
	slices.Reverse(list)
	return parent, ":" + strings.Join(list, ":")
}
