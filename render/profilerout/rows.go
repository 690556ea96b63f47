package profilerout

import (
	"bufio"
	"strconv"
	"strings"

	"reel/analyze"
	"reel/internal/display"
)

// head writes the headings between rules.
func (t *table) head(b *bufio.Writer) {
	names := make([]string, len(t.cols))
	for i, c := range t.cols {
		names[i] = c.name
	}
	b.WriteString(t.rule())
	t.line(b, names)
	b.WriteString(t.rule())
}

// foot writes the totals.
func (t *table) foot(b *bufio.Writer) {
	b.WriteString(t.rule())
	b.WriteString("Self CPU time total: " + duration(t.cpuSum) + "\n")
	if t.device {
		b.WriteString("Self " + t.Device + " time total: " + duration(t.devSum) + "\n")
	}
}

// line writes cells, each padded to its column and followed by the gap.
func (t *table) line(b *bufio.Writer, cells []string) {
	for i, c := range t.cols {
		pad := strings.Repeat(" ", max(0, c.width-runes(cells[i])))
		if c.left {
			b.WriteString(cells[i] + pad)
		} else {
			b.WriteString(pad + cells[i])
		}
		b.WriteString("  ")
	}
	b.WriteByte('\n')
}

// row writes a row, and below it the rest of its calls and an empty line.
func (t *table) row(b *bufio.Writer, r *analyze.OpsRow) {
	t.line(b, t.cells(r))
	if !t.stacked {
		return
	}
	at := t.column("Source Location")
	for _, call := range append(r.Stack[min(1, len(r.Stack)):len(r.Stack):len(r.Stack)], "") {
		cells := make([]string, len(t.cols))
		cells[at] = endOf(display.Clean(call), t.source)
		t.line(b, cells)
	}
}

func (t *table) column(name string) int {
	for i, c := range t.cols {
		if c.name == name {
			return i
		}
	}
	return len(t.cols) - 1
}

func (t *table) cells(r *analyze.OpsRow) []string {
	selfCPU, cpu := micros(r.SelfCPU), micros(r.CPU)
	cells := []string{cutName(display.Clean(r.Name)), share(selfCPU, t.cpuSum), duration(selfCPU), share(cpu, t.cpuSum), duration(cpu), duration(mean(cpu, r.Count))}
	if t.device {
		self, all := micros(value(r.SelfDevice)), micros(value(r.Device))
		cells = append(cells, duration(self), share(self, t.devSum), duration(all), duration(mean(all, r.Count)))
	}
	if t.memory {
		cells = append(cells, t.amount(r.CPUMemory), t.amount(r.SelfCPUMemory))
		if t.devMem {
			cells = append(cells, t.amount(r.DeviceMemory), t.amount(r.SelfDeviceMemory))
		}
	}
	cells = append(cells, strconv.FormatInt(r.Count, 10))
	for _, c := range t.cols[len(cells):] {
		switch c.name {
		case "Input Shapes":
			shapes := display.Clean(r.InputShapes)
			if shapes == "" {
				shapes = "[]"
			}
			cells = append(cells, front(shapes, c.width))
		case "Source Location":
			call := ""
			if len(r.Stack) > 0 {
				call = endOf(display.Clean(r.Stack[0]), c.width)
			}
			cells = append(cells, call)
		default:
			cells = append(cells, t.flops.text(value(r.FLOPs)))
		}
	}
	return cells
}
