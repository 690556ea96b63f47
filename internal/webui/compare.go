package webui

import (
	"cmp"
	"slices"

	"reel/analyze"
)

// compareJSON is two runs side by side: a is the one that the page shows.
type compareJSON struct {
	A     string      `json:"a"`
	B     string      `json:"b"`
	Stage []pairJSON  `json:"stages"`
	Steps []stepsJSON `json:"steps"`
	Ops   []pairJSON  `json:"ops"`
	Work  []pairJSON  `json:"kernels"`
	Same  sameJSON    `json:"same"` // how many rows of each did not change
}

type sameJSON struct {
	Stages  int `json:"stages"`
	Ops     int `json:"ops"`
	Kernels int `json:"kernels"`
}

// pairJSON is what one name took in both; absent is absent.
type pairJSON struct {
	Name   string `json:"name"`
	A      *int64 `json:"a_ns,omitempty"`
	B      *int64 `json:"b_ns,omitempty"`
	ACount int64  `json:"a_count"`
	BCount int64  `json:"b_count"`
	Device bool   `json:"device"`
}

// stepsJSON is one loop of both runs, step by step.
type stepsJSON struct {
	Request int        `json:"request"`
	Loop    int        `json:"loop"`
	A       []stepSide `json:"a"`
	B       []stepSide `json:"b"`
}

type stepSide struct {
	Index int    `json:"index"`
	CPU   int64  `json:"cpu_ns"`
	Busy  *int64 `json:"busy_ns,omitempty"`
	Span  *int64 `json:"span_ns,omitempty"`
}

// compare puts the run beside the other one, by the first rank of each.
func compare(a, b *state) (any, error) {
	if b == nil {
		return struct{}{}, nil
	}
	if len(a.Document.Ranks) == 0 || len(b.Document.Ranks) == 0 {
		return nil, refusef("one of the two runs holds no rank")
	}
	c := &compareJSON{A: short(a.Title, listName), B: short(b.Title, listName), Stage: []pairJSON{}, Ops: []pairJSON{}, Work: []pairJSON{}, Steps: []stepsJSON{}}
	ra, rb := &a.Document.Ranks[0], &b.Document.Ranks[0]
	c.Stage, c.Same.Stages = changed(pairs(stageSums(ra), stageSums(rb)))
	c.Steps = loops(ra.Steps, rb.Steps)
	opsOf := func(st *state) (host, device map[string]sum) {
		host, device = map[string]sum{}, map[string]sum{}
		r := analyze.Ops(st.pic.ranks[0].rank.TL, analyze.OpsOptions{})
		for _, row := range r.Rows {
			name := short(row.Name, listName)
			if row.DeviceType == "device" {
				if row.SelfDevice != nil && !row.Annotation {
					device[name] = device[name].add(*row.SelfDevice, row.Count, true)
				}
				continue
			}
			host[name] = host[name].add(row.SelfCPU, row.Count, false)
		}
		return host, device
	}
	ha, da := opsOf(a)
	hb, db := opsOf(b)
	c.Ops, c.Same.Ops = changed(pairs(ha, hb))
	c.Work, c.Same.Kernels = changed(pairs(da, db))
	return c, nil
}

// sum is the time of a name.
type sum struct {
	ns, count int64
	device    bool
}

func (s sum) add(ns, count int64, device bool) sum { return sum{s.ns + ns, s.count + count, device} }

// stageSums adds up the stages by their name: CPU, and device where it was recorded.
func stageSums(r *analyze.RankSummary) map[string]sum {
	all := map[string]sum{}
	for _, s := range r.Stages {
		all[s.Stage+", CPU"] = all[s.Stage+", CPU"].add(s.CPU, 1, false)
		if s.GPUBusy != nil {
			all[s.Stage+", device"] = all[s.Stage+", device"].add(*s.GPUBusy, 1, true)
		}
	}
	return all
}

func pairs(a, b map[string]sum) (out []pairJSON) {
	for name, x := range a {
		p := pairJSON{Name: name, A: &x.ns, ACount: x.count, Device: x.device}
		if y, ok := b[name]; ok {
			p.B, p.BCount = &y.ns, y.count
		}
		out = append(out, p)
	}
	for name, y := range b {
		if _, ok := a[name]; !ok {
			out = append(out, pairJSON{Name: name, B: &y.ns, BCount: y.count, Device: y.device})
		}
	}
	return out
}

// A change is worth a row from this share of the longer side, and this long, on.
const (
	minChange = 0.03
	minNS     = 20_000
	maxPairs  = 200
)

// changed keeps what differs, the largest difference first, and counts the rest.
func changed(all []pairJSON) (out []pairJSON, same int) {
	out = []pairJSON{}
	for _, p := range all {
		longer := max(value(p.A), value(p.B))
		if d := p.delta(); max(d, -d) < minNS || float64(max(d, -d)) < minChange*float64(longer) {
			same++
			continue
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b pairJSON) int {
		da, db := a.delta(), b.delta()
		return cmp.Or(cmp.Compare(max(db, -db), max(da, -da)), cmp.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxPairs)], same
}

func (p *pairJSON) delta() int64 { return value(p.B) - value(p.A) }

func value(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// loops aligns steps by request, loop and number.
func loops(a, b []analyze.StepInfo) []stepsJSON {
	out := []stepsJSON{}
	at := func(s analyze.StepInfo) *stepsJSON {
		for i := range out {
			if out[i].Request == s.Request && out[i].Loop == s.Loop {
				return &out[i]
			}
		}
		out = append(out, stepsJSON{Request: s.Request, Loop: s.Loop, A: []stepSide{}, B: []stepSide{}})
		return &out[len(out)-1]
	}
	for _, s := range a {
		l := at(s)
		l.A = append(l.A, stepSide{s.Index, s.CPU, s.GPUBusy, s.GPUSpan})
	}
	for _, s := range b {
		l := at(s)
		l.B = append(l.B, stepSide{s.Index, s.CPU, s.GPUBusy, s.GPUSpan})
	}
	return out
}
