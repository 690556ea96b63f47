package webui

import (
	"cmp"
	"slices"

	"reel/internal/walk"
	"reel/timeline"
)

// flameJSON is a tree of call stacks with the time of each. Nodes stand behind their
// parents; the first is the root.
type flameJSON struct {
	By     string   `json:"by"`
	Total  int64    `json:"total_ns"`
	Names  []string `json:"names"`
	Name   []uint32 `json:"name"`
	Parent []int32  `json:"parent"`
	NS     []int64  `json:"ns"`
	Self   []int64  `json:"self_ns"`
	Colour []int    `json:"colour"`
	Left   int      `json:"left_out"` // nodes that are too small to be seen
}

// Bounds of a flame graph: nodes of less than this share of the whole are left out.
const (
	minShare = 1.0 / 4000
	maxNodes = 8000
)

// flame adds up call stacks by CPU or device time, of the whole run or of a stretch.
func (st *state) flame(q *query) (any, error) {
	from, to, whole := q.window(st.pic.end)
	by := q.word("by", "cpu", "device")
	python := q.word("python", "1", "0") == "1"
	if q.err != nil {
		return nil, q.err
	}
	build := func() any {
		f := &flames{texts: map[string]uint32{}}
		for _, p := range st.pic.ranks {
			f.add(p, by, from, to, python)
		}
		return f.json(by)
	}
	if whole {
		return st.memo.get("flame "+by+q.v.Get("python"), build), nil
	}
	return build(), nil
}

// flames is a flame graph in the making.
type flames struct {
	tree   walk.Tree
	self   []int64
	names  []string // frames of the tree
	colour []uint8
	texts  map[string]uint32
}

func (f *flames) spend(node uint32, ns int64) {
	for int(node) >= len(f.self) {
		f.self = append(f.self, 0)
	}
	f.self[node] += ns
}

// frame is the number of a name.
func (f *flames) frame(text string, colour uint8) uint32 {
	id, ok := f.texts[text]
	if !ok {
		id = uint32(len(f.names))
		f.texts[text] = id
		f.names, f.colour = append(f.names, text), append(f.colour, colour)
	}
	return id
}

func (f *flames) add(p *rankPicture, by string, from, to int64, python bool) {
	v := &flameVisitor{f: f, p: p, python: python, memo: map[timeline.NameID]uint32{}}
	if by == "cpu" {
		for _, id := range p.rank.TL.HostTracks() {
			if walk.IsProgram(p.rank.TL, id) {
				v.root = f.tree.Child(0, f.frame(short(walk.TrackName(&p.rank.TL.Tracks[id]), rowName), cNone))
				p.sweep(id, from, to, v)
			}
		}
		return
	}
	tl := p.rank.TL
	nodes := map[timeline.RangeID]uint32{timeline.NoRange: 0}
	p.union(from, to, func(i int32, ns int64) {
		leaf := f.frame(walk.FrameName(p.name(tl.Activities.Name[i], listName)), p.paint.device[i])
		f.spend(f.tree.Child(v.node(walk.Cause(tl, int(i)), nodes), leaf), ns)
	})
}

// flameVisitor puts host ranges into the tree.
type flameVisitor struct {
	f      *flames
	p      *rankPicture
	root   uint32
	python bool
	memo   map[timeline.NameID]uint32
}

func (v *flameVisitor) child(parent uint32, r timeline.RangeID) uint32 {
	c := v.p.paint.host(int32(r))
	if !v.python && c&(1<<shadeShift-1) == cPython {
		return parent
	}
	id := v.p.rank.TL.Ranges.Name[r]
	frame, ok := v.memo[id]
	if !ok {
		frame = v.f.frame(walk.FrameName(v.p.name(id, listName)), c)
		v.memo[id] = frame
	}
	return v.f.tree.Child(parent, frame)
}

func (v *flameVisitor) Enter(r timeline.RangeID, parent uint32) uint32 {
	if parent == 0 {
		parent = v.root
	}
	return v.child(parent, r)
}

func (v *flameVisitor) Spend(_ timeline.RangeID, node uint32, from, to int64) {
	v.f.spend(node, to-from)
}

// node is that of a range with all that holds it.
func (v *flameVisitor) node(r timeline.RangeID, nodes map[timeline.RangeID]uint32) uint32 {
	parent := v.p.rank.TL.Ranges.Parent
	var path []timeline.RangeID
	x := r
	for ; x != timeline.NoRange; x = parent[x] {
		if _, ok := nodes[x]; ok {
			break
		}
		path = append(path, x)
	}
	n := nodes[x]
	for k := len(path) - 1; k >= 0; k-- {
		n = v.child(n, path[k])
		nodes[path[k]] = n
	}
	return n
}

// json keeps what can be seen.
func (f *flames) json(by string) *flameJSON {
	n := f.tree.Len()
	total := make([]int64, n)
	copy(total, f.self)
	for i := n - 1; i > 0; i-- {
		parent, _ := f.tree.Node(uint32(i))
		total[parent] += total[i]
	}
	out := &flameJSON{By: by, Total: total[0], Names: []string{"everything"}, Name: []uint32{0}, Parent: []int32{-1}, NS: []int64{total[0]}, Self: []int64{0}, Colour: []int{0}}
	least := int64(float64(total[0]) * minShare)
	if big := slices.Clone(total); len(big) > maxNodes {
		slices.SortFunc(big, func(a, b int64) int { return cmp.Compare(b, a) })
		least = max(least, big[maxNodes])
	}
	place, names := make([]int32, n), map[uint32]uint32{}
	for i := 1; i < n; i++ {
		parent, frame := f.tree.Node(uint32(i))
		place[i] = -1
		if total[i] <= least || parent > 0 && place[parent] < 0 {
			out.Left++
			continue
		}
		name, ok := names[frame]
		if !ok {
			name = uint32(len(out.Names))
			names[frame] = name
			out.Names = append(out.Names, f.names[frame])
		}
		self := int64(0)
		if i < len(f.self) {
			self = f.self[i]
		}
		place[i] = int32(len(out.Name))
		out.Name, out.Parent, out.NS = append(out.Name, name), append(out.Parent, place[parent]), append(out.NS, total[i])
		out.Self, out.Colour = append(out.Self, self), append(out.Colour, int(f.colour[frame]))
	}
	return out
}
