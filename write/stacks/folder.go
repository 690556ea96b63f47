package stacks

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"reel/event"
	"reel/internal/walk"
	"reel/timeline"
)

// folder merges equal stacks and adds up their times.
type folder struct {
	tree  walk.Tree
	ns    []int64 // by node
	texts []string
	ids   map[string]uint32
	sweep walk.Sweep

	// Of the rank at hand:
	tl    *timeline.Timeline
	calls []timeline.NameID // each range's "Call stack"
	names []uint32          // each name's frame + 1
	root  uint32
}

func newFolder() *folder { return &folder{ids: map[string]uint32{}} }

// frame numbers the text of a frame.
func (f *folder) frame(name string) uint32 {
	text := frameText(name)
	id, ok := f.ids[text]
	if !ok {
		id = uint32(len(f.texts))
		f.ids[text], f.texts = id, append(f.texts, text)
	}
	return id
}

// maxFrame bounds a frame's text, bytes, because it is written once for each stack
// that goes through it. The longest kernel names have a few thousand.
const maxFrame = 16 << 10

// frameText is what a name looks like in a stack: as torch.profiler, blanks,
// semicolons, tabs and line ends become underscores; so does every other character
// that some reader may take for a blank or a line's end.
func frameText(name string) string {
	if name == "" {
		return "_"
	}
	text := walk.Text(name)
	if len(text) > maxFrame {
		text = walk.Text(text[:maxFrame-len("…")]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if r == ';' || unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return '_'
		}
		return r
	}, text)
}

func (f *folder) name(id timeline.NameID) uint32 {
	if f.names[id] == 0 {
		f.names[id] = f.frame(walk.FrameName(f.tl.Name(id))) + 1
	}
	return f.names[id] - 1
}

// Enter finds the stack of a range.
func (f *folder) Enter(r timeline.RangeID, parent uint32) uint32 {
	if f.tl.Ranges.Parent[r] == timeline.NoRange {
		parent = f.base(r)
	}
	return f.tree.Child(parent, f.name(f.tl.Ranges.Name[r]))
}

// base returns the stack in which an outermost range lies: the one that its
// argument holds.
func (f *folder) base(r timeline.RangeID) uint32 {
	node := f.root
	if f.calls == nil || f.calls[r] == 0 || f.tl.Ranges.Class[r] == event.Python {
		return node
	}
	calls := strings.Split(f.tl.Name(f.calls[r]), ";")
	for _, call := range slices.Backward(calls) {
		if call = strings.TrimSpace(call); call != "" {
			node = f.tree.Child(node, f.frame(call))
		}
	}
	return node
}

func (f *folder) add(node uint32, ns int64) {
	if n := int(node) + 1; n > len(f.ns) {
		f.ns = append(f.ns, make([]int64, max(n, 2*len(f.ns))-len(f.ns))...)
	}
	f.ns[node] += ns
}

// write writes the lines. What a line's time lacks to whole microseconds goes to
// the next line, so that the sum is right and no line is off by a microsecond.
func (f *folder) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var path, line []byte
	var ends []int // where the text of each open node's parent ends in path
	var open []uint32
	var carry int64
	for _, n := range f.sorted() {
		parent, frame := f.tree.Node(n)
		for len(open) > 0 && open[len(open)-1] != parent {
			path, ends, open = path[:ends[len(ends)-1]], ends[:len(ends)-1], open[:len(open)-1]
		}
		ends, open = append(ends, len(path)), append(open, n)
		if len(path) > 0 {
			path = append(path, ';')
		}
		path = append(path, f.texts[frame]...)
		if int(n) >= len(f.ns) {
			continue
		}
		carry += f.ns[n]
		if us := carry / 1000; us > 0 {
			carry -= us * 1000
			line = append(line[:0], path...)
			line = append(strconv.AppendInt(append(line, ' '), us, 10), '\n')
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// sorted returns the nodes, the root left out, so that each stands before its
// children and siblings ascend by their text.
func (f *folder) sorted() []uint32 {
	n := uint32(f.tree.Len())
	rank := f.textOrder()
	kids := make([]uint32, 0, n)
	for i := uint32(1); i < n; i++ {
		kids = append(kids, i)
	}
	slices.SortFunc(kids, func(x, y uint32) int {
		xp, xf := f.tree.Node(x)
		yp, yf := f.tree.Node(y)
		return cmp.Or(cmp.Compare(xp, yp), cmp.Compare(rank[yf], rank[xf])) // last first, for the stack
	})
	first := make([]uint32, n+1) // where the children of each node begin in kids
	for _, k := range kids {
		p, _ := f.tree.Node(k)
		first[p+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	out := make([]uint32, 0, n)
	todo := slices.Clone(kids[first[0]:first[1]])
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		out, todo = append(out, x), append(todo[:len(todo)-1], kids[first[x]:first[x+1]]...)
	}
	return out
}

// textOrder returns the position of each frame's text in the order of texts.
func (f *folder) textOrder() []uint32 {
	order := make([]uint32, len(f.texts))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(f.texts[x], f.texts[y]) })
	rank := make([]uint32, len(order))
	for i, x := range order {
		rank[x] = uint32(i)
	}
	return rank
}
