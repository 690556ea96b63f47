package report

import (
	"reel/analyze"
	"reel/unit"
)

// memory says how much memory was allocated, where the trace tells.
func (p *page) memory(r *analyze.RankSummary) {
	if r.Memory == nil {
		return
	}
	p.gap()
	p.title("memory")
	for _, m := range []struct {
		name string
		use  *analyze.MemoryUse
	}{{"device", r.Memory.Device}, {"host", r.Memory.Host}} {
		if u := m.use; u != nil {
			p.joined("", indent, memoryText(m.name, u))
		}
	}
}

func memoryText(name string, u *analyze.MemoryUse) []string {
	least := ""
	if !u.Absolute {
		least = "at least "
	}
	parts := []string{name + ": peak " + least + byteText(u.Peak) + " at " + dur(u.PeakAt)}
	if u.ReservedPeak != nil {
		parts = append(parts, "reserved "+byteText(*u.ReservedPeak))
	}
	word := "at the end " + byteText(u.End-u.Start) + " more than at the start"
	switch {
	case u.End == u.Start:
		word = "at the end as much as at the start"
	case u.End < u.Start:
		word = "at the end " + byteText(u.Start-u.End) + " less than at the start"
	}
	return append(parts, word, count(int(u.Events), "event", "events"))
}

func byteText(n int64) string { return unit.Bytes(n).String() }
