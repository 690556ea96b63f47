package webui

import (
	"cmp"
	"slices"

	"reel/event"
	"reel/timeline"
)

// curveJSON is a value over time.
type curveJSON struct {
	Name string   `json:"name"`
	Rank int      `json:"rank"` // position in the list
	Unit string   `json:"unit"` // ns, bytes, or nothing
	At   []int64  `json:"at_ns"`
	V    []int64  `json:"values"`
	Refs []string `json:"refs,omitempty"` // what each point stands for
	Bars bool     `json:"bars,omitempty"` // one value for each thing, not a level
}

// Bounds of the curves: points of each, and their number.
const (
	maxPoints = 1200
	maxCurves = 60
)

// curves lists counters, and what steps and frames took.
func (st *state) curves(*query) (any, error) {
	return st.memo.get("curves", func() any {
		all := []curveJSON{}
		for i := range st.pic.ranks {
			all = append(all, st.stepCurves(i)...)
			all = append(all, st.counters(i)...)
		}
		return struct {
			Curves []curveJSON `json:"curves"`
			Left   int         `json:"left_out"`
		}{all[:min(len(all), maxCurves)], max(0, len(all)-maxCurves)}
	}), nil
}

func (st *state) stepCurves(rank int) (out []curveJSON) {
	p := st.pic.ranks[rank]
	host := curveJSON{Name: "steps, CPU", Rank: rank, Unit: "ns", Bars: true}
	for i, s := range p.spans {
		if s.role == "step" {
			host.At, host.V, host.Refs = append(host.At, s.Start-p.base), append(host.V, s.Dur()), append(host.Refs, ref{rank, 'p', i}.String())
		}
	}
	frames := curveJSON{Name: "frame intervals", Rank: rank, Unit: "ns", Bars: true}
	for i := 1; i < len(p.frames.Start); i++ {
		frames.At, frames.V = append(frames.At, p.frames.Start[i]-p.frames.Base), append(frames.V, p.frames.Dur[i-1])
		frames.Refs = append(frames.Refs, ref{rank, 'f', i}.String())
	}
	for _, c := range []curveJSON{host, frames} {
		if len(c.V) > 1 {
			out = append(out, thin(c))
		}
	}
	if rank >= len(st.Document.Ranks) {
		return out
	}
	r := &st.Document.Ranks[rank]
	busy := curveJSON{Name: "steps, device", Rank: rank, Unit: "ns", Bars: true}
	shift := p.rank.TL.Origin - p.base
	for _, s := range r.Steps {
		if s.GPUBusy != nil {
			busy.At, busy.V = append(busy.At, s.Start+shift), append(busy.V, *s.GPUBusy)
		}
	}
	if len(busy.V) > 1 {
		out = append(out, thin(busy))
	}
	if r.Memory != nil && r.Memory.Device != nil {
		mem := curveJSON{Name: "memory allocated on the device", Rank: rank, Unit: "bytes"}
		for _, m := range r.Memory.Device.Series {
			mem.At, mem.V = append(mem.At, m.At+shift), append(mem.V, m.Allocated)
		}
		out = append(out, mem)
	}
	return out
}

// counters are the samples that the producer wrote.
func (st *state) counters(rank int) (out []curveJSON) {
	p := st.pic.ranks[rank]
	m := &p.rank.TL.Marks
	at := map[timeline.NameID]int{}
	for i, c := range m.Class {
		if c != event.NoClass {
			continue
		}
		k, ok := at[m.Name[i]]
		if !ok {
			k = len(out)
			at[m.Name[i]] = k
			out = append(out, curveJSON{Name: p.name(m.Name[i], listName), Rank: rank})
		}
		out[k].At, out[k].V = append(out[k].At, m.At[i]-p.base), append(out[k].V, m.Value[i])
	}
	slices.SortStableFunc(out, func(a, b curveJSON) int { return cmp.Compare(a.Name, b.Name) })
	for k := range out {
		out[k] = thin(out[k])
	}
	return out
}

// thin keeps of each stretch of points the lowest and the highest.
func thin(c curveJSON) curveJSON {
	n := len(c.V)
	if n <= maxPoints {
		return c
	}
	out := curveJSON{Name: c.Name, Rank: c.Rank, Unit: c.Unit, Bars: c.Bars}
	const groups = maxPoints / 2
	for g := range groups {
		lo, hi := g*n/groups, (g+1)*n/groups
		least, most := lo, lo
		for i := lo; i < hi; i++ {
			if c.V[i] < c.V[least] {
				least = i
			}
			if c.V[i] > c.V[most] {
				most = i
			}
		}
		for _, i := range []int{min(least, most), max(least, most)} {
			out.At, out.V = append(out.At, c.At[i]), append(out.V, c.V[i])
			if c.Refs != nil {
				out.Refs = append(out.Refs, c.Refs[i])
			}
		}
	}
	return out
}
