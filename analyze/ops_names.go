package analyze

import (
	"slices"
	"strings"

	"reel/event"
	"reel/timeline"
)

// opsNames says as which row an event's name counts.
type opsNames struct {
	tl    *timeline.Timeline
	rows  []timeline.NameID // by name: the name its row goes by, or opsDropped
	ops   []timeline.NameID // the same for operators, whose names may end in their overload
	extra []string          // names that the trace does not hold, from tl.Names() on
}

// opsDropped marks names that torch.profiler leaves out.
const opsDropped = ^timeline.NameID(0)

var opsDroppedNames = []string{opsMemoryName, opsFailureName, "profiler::_record_function_enter",
	"profiler::_record_function_enter_new", "profiler::_record_function_exit",
	"aten::is_leaf", "aten::output_nr", "aten::_version"}

const (
	opsMemoryName  = "[memory]"
	opsFailureName = "[OutOfMemory]"
	opsStepPrefix  = "ProfilerStep#"
	opsStepName    = "ProfilerStep*"
)

func newOpsNames(tl *timeline.Timeline) opsNames {
	n := opsNames{tl: tl, rows: make([]timeline.NameID, tl.Names())}
	overloads := map[string][]timeline.NameID{}
	steps := opsDropped
	for id := range n.rows {
		name := tl.Name(timeline.NameID(id))
		n.rows[id] = timeline.NameID(id)
		switch short := opsWithoutOverload(name); {
		case slices.Contains(opsDroppedNames, name):
			n.rows[id] = opsDropped
		case strings.HasPrefix(name, opsStepPrefix) || name == opsStepName:
			if steps == opsDropped {
				steps = n.add(opsStepName)
			}
			n.rows[id] = steps
		case short != name:
			overloads[short] = append(overloads[short], timeline.NameID(id))
		}
	}
	n.ops = n.rows
	if len(overloads) > 0 {
		n.cut(overloads)
	}
	return n
}

// cut makes the names of operators with an overload those of the operator.
func (n *opsNames) cut(overloads map[string][]timeline.NameID) {
	n.ops = slices.Clone(n.rows)
	for id := range n.rows {
		short := n.tl.Name(timeline.NameID(id))
		for _, long := range overloads[short] {
			n.ops[long] = n.rows[id]
		}
		delete(overloads, short)
	}
	for short, longs := range overloads {
		id := opsDropped
		if !slices.Contains(opsDroppedNames, short) {
			id = n.add(short)
		}
		for _, long := range longs {
			n.ops[long] = id
		}
	}
}

// add adds a name that the trace does not hold.
func (n *opsNames) add(name string) timeline.NameID {
	n.extra = append(n.extra, name)
	return timeline.NameID(n.tl.Names() + len(n.extra) - 1)
}

// row returns the name that a range goes by, or opsDropped.
func (n *opsNames) row(name timeline.NameID, c event.Class) timeline.NameID {
	if c == event.Op {
		return n.ops[name]
	}
	return n.rows[name]
}

// text returns the text of a row's name.
func (n *opsNames) text(id timeline.NameID) string {
	if k := int(id) - n.tl.Names(); k >= 0 {
		return n.extra[k]
	}
	return n.tl.Name(id)
}

// opsWithoutOverload cuts "aten::mul.Tensor", as PyTorch writes when it was asked
// for overloads, to "aten::mul".
func opsWithoutOverload(name string) string {
	at := strings.Index(name, "::")
	if at <= 0 {
		return name
	}
	dot := strings.IndexByte(name[at+2:], '.')
	if dot <= 0 {
		return name
	}
	for _, c := range []byte(name) {
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && c != ':' && c != '.' {
			return name
		}
	}
	return name[:at+2+dot]
}
