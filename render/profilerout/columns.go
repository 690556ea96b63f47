package profilerout

import (
	"strings"

	"reel/analyze"
)

// Widths of columns in characters.
const (
	gap       = 2
	number    = 12
	maxName   = 55
	maxShapes = 80
	maxSource = 75
)

// table is a report on its way into text.
type table struct {
	Options
	rep     *analyze.OpsReport
	cols    []col
	device  bool // has device times
	memory  bool
	devMem  bool
	flops   flopsScale
	cpuSum  float64 // µs
	devSum  float64 // µs
	stacked bool    // has a column of source locations
	source  int     // its width
}

// col is a column: heading, width and which side its cells stand on.
type col struct {
	name  string
	width int
	left  bool
}

func newTable(rep *analyze.OpsReport, o Options) *table {
	if o.Device == "" {
		o.Device = "CUDA"
	}
	t := &table{Options: o, rep: rep, cpuSum: micros(rep.SelfCPU), devSum: micros(value(rep.SelfDevice))}
	name, shapes, shaped := 0, 0, false
	smallest := int64(0)
	for i := range rep.Rows {
		r := &rep.Rows[i]
		t.device = t.device || value(r.SelfDevice) > 0
		t.memory = t.memory || r.SelfCPUMemory != nil
		t.devMem = t.devMem || value(r.SelfDeviceMemory) > 0
		name = max(name, runes(r.Name))
		shaped = shaped || r.InputShapes != ""
		shapes = max(shapes, runes(r.InputShapes))
		for _, call := range r.Stack {
			t.stacked = true
			t.source = max(t.source, runes(call))
		}
		if f := value(r.FLOPs); f > 0 && (smallest == 0 || f < smallest) {
			smallest = f
		}
	}
	if o.FLOPs && smallest > 0 {
		t.flops = scaleOf(smallest)
	}
	t.columns(min(name+4, maxName))
	if shaped {
		t.cols = append(t.cols, col{name: "Input Shapes", width: min(max(shapes, len("[]"))+4, maxShapes)})
	}
	if t.stacked {
		t.source = min(t.source+4, maxSource)
		t.cols = append(t.cols, col{"Source Location", t.source, true})
	}
	if t.flops.unit != "" {
		t.cols = append(t.cols, col{name: "Total " + t.flops.unit, width: number})
	}
	return t
}

// columns adds the name and the numbers.
func (t *table) columns(name int) {
	t.cols = append(t.cols, col{name: "Name", width: name})
	add := func(names ...string) {
		for _, n := range names {
			t.cols = append(t.cols, col{name: n, width: number})
		}
	}
	add("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg")
	if d := t.Device; t.device {
		add("Self "+d, "Self "+d+" %", d+" total", d+" time avg")
	}
	if t.memory {
		add("CPU Mem", "Self CPU Mem")
		if d := t.Device; t.devMem {
			add(d+" Mem", "Self "+d+" Mem")
		}
	}
	add("# of Calls")
}

// rule is the line of dashes.
func (t *table) rule() string {
	var b strings.Builder
	for _, c := range t.cols {
		b.WriteString(strings.Repeat("-", c.width) + strings.Repeat(" ", gap))
	}
	return b.String() + "\n"
}
