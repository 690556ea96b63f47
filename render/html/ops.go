package html

import (
	"fmt"

	"reel/analyze"
	"reel/unit"
)

// shownOps bounds the operators that are listed.
const shownOps = 40

// opsPart lists the operators that stand first in the report.
func opsPart(rep *analyze.OpsReport) part {
	device := rep.SelfDevice != nil
	g := &grid{Sorts: true, Heads: []head{{"operator", "text"}}}
	if device {
		g.Heads = append(g.Heads, head{"", "bar"}, head{"self device", "num"}, head{"device", "num"}, head{"self CPU", "num"}, head{"CPU", "num"})
	} else {
		g.Heads = append(g.Heads, head{"", "bar"}, head{"self CPU", "num"}, head{"CPU", "num"})
	}
	g.Heads = append(g.Heads, head{"calls", "num"})
	annotations := 0
	for i := range rep.Rows {
		r := &rep.Rows[i]
		if r.Annotation && r.DeviceType == "device" {
			annotations++
			continue
		}
		if len(g.Rows) == shownOps {
			break
		}
		what := name(r.Name)
		what.Note = "CPU"
		if r.DeviceType == "device" {
			what.Note, what.Class = "device", "on-device"
		}
		if r.Annotation {
			what.Note += ", annotation"
		}
		row := []cell{what}
		if device {
			row = append(row, barCell(r.SelfDevice, rep.SelfDevice, "busy"), optDur(r.SelfDevice), optDur(r.Device))
		} else {
			row = append(row, barCell(&r.SelfCPU, &rep.SelfCPU, "host"))
		}
		g.add(append(row, dur(r.SelfCPU), dur(r.CPU), number(r.Count)))
	}
	p := part{Title: "Operators", Grid: g}
	total := "Self CPU time " + ns(rep.SelfCPU)
	if device {
		p.Note = "Kernels are rows of their own; an operator's device time is that of the kernels that it launched, so the shares add up to more than all. "
		total = "Self device time " + ns(*rep.SelfDevice) + ", self CPU time " + ns(rep.SelfCPU)
	}
	p.Note += total + " in all."
	if annotations > 0 {
		g.Notes = append(g.Notes, count(annotations, "annotation", "annotations")+" on the device left out: what they span is counted already.")
	}
	if all := max(rep.RowsTotal, len(rep.Rows)) - annotations; all > len(g.Rows) {
		g.Notes = append(g.Notes, fmt.Sprintf("%d of %s rows.", len(g.Rows), unit.Count(all)))
	}
	return p
}
