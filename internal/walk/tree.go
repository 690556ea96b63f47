package walk

// maxDepth bounds the length of call stacks, because writing one out takes space
// in proportion to it: Python itself stops at 1000 calls.
const maxDepth = 2000

// Tree merges equal call stacks. Its nodes are numbered from 0, which is the
// root, parents before children; a node stands for its frame within its parent's
// stack. Frames are numbers that the user gives. The zero Tree is ready.
type Tree struct {
	nodes []treeNode
	find  map[uint64]uint32
}

type treeNode struct {
	parent, frame uint32
	depth         int32
}

// Len returns the number of nodes, the root included.
func (t *Tree) Len() int { return max(1, len(t.nodes)) }

// Child returns the node for frame within node n, adding it when it is new.
// Below a depth of 2000 everything counts to the node at that depth.
func (t *Tree) Child(n, frame uint32) uint32 {
	if t.find == nil {
		t.find, t.nodes = map[uint64]uint32{}, append(t.nodes, treeNode{})
	}
	key := uint64(n)<<32 | uint64(frame)
	if id, ok := t.find[key]; ok {
		return id
	}
	depth := t.nodes[n].depth + 1
	if depth > maxDepth {
		return n
	}
	id := uint32(len(t.nodes))
	t.find[key], t.nodes = id, append(t.nodes, treeNode{n, frame, depth})
	return id
}

// Depth returns the number of frames of node n's stack, 0 for the root.
func (t *Tree) Depth(n uint32) int {
	if n == 0 {
		return 0
	}
	return int(t.nodes[n].depth)
}

// Node returns the parent and the frame of node n, which is not the root.
func (t *Tree) Node(n uint32) (parent, frame uint32) {
	x := &t.nodes[n]
	return x.parent, x.frame
}
