package nsysstats

import (
	"reel/event"
	"reel/table"
)

// memory gathers a number of each copy and set, by operation.
func (b *build) memory(value func(in *input, i int) (int64, bool)) *grouped {
	s, any := newGrouped(), false
	for _, in := range b.ins {
		a := &in.tl.Activities
		for i, c := range a.Class {
			if c != event.Copy && c != event.Set {
				continue
			}
			any = true
			if v, ok := value(in, i); ok {
				s.add(s.id(operation(in.tl.Name(a.Name[i]), c)), v)
			}
		}
	}
	if !any {
		b.skip("GPU memory")
	}
	return s
}

// megabyte is nsys' MB: a million bytes.
const megabyte = 1e6

// memSize summarises copies and sets by the bytes they moved.
func (b *build) memSize() {
	unsaid := 0
	s := b.memory(func(in *input, i int) (int64, bool) {
		v := in.tl.Activities.Bytes[i]
		if v <= 0 {
			unsaid++
		}
		return v, v > 0
	})
	if b.Skipped != "" {
		return
	}
	b.Cols = []Col{{"Total (MB)", 3}, {"Count", 0}, {"Avg (MB)", 3}, {"Med (MB)", 3}, {"Min (MB)", 3}, {"Max (MB)", 3}, {"StdDev (MB)", 3}, {"Operation", text}}
	mb := func(v float64) table.Cell { return table.Float(v / megabyte) }
	for m := range s.measure().all() {
		b.rows = append(b.rows, []table.Cell{mb(float64(m.total)), table.Int(int64(m.n)), mb(m.avg), mb(m.med),
			mb(float64(m.min)), mb(float64(m.max)), mb(m.dev), table.Str(s.key(m.key)[0])})
	}
	if unsaid > 0 {
		b.note("%s no size: left out", count(unsaid, "operation says", "operations say"))
	}
}
