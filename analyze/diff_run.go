package analyze

import (
	"reel/event"
	"reel/timeline"
)

// DiffRun is what a comparison needs of one run: a value for each row. MeasureRun
// makes that of a rank, JoinRuns that of a run of several.
type DiffRun struct {
	Path     string
	Device   string
	Rank     *int // as the file says it
	Ranks    int
	Requests int
	Steps    int
	Rows     []Measured
	Damage   string // why its values may be too low: what lost-events finds
}

// Measured is one value of a run.
type Measured struct {
	Kind   DiffKind
	Name   string
	Of     string // the stage that a model's row belongs to
	Time   int64  // ns, that is compared; see DiffRow
	Count  int64
	CPU    *int64 // ns
	Device *int64 // ns
	Weight int64  // how many of it a request has; 0 is one
	Gated  bool   // may be a regression
}

// MeasureOptions says what of a rank is measured. The zero value is all of it.
type MeasureOptions struct {
	Request *int // this request alone, counted from 0
	Exact   bool // names are kept as they are; else what differs from run to run is taken out, see NormalName
}

// MeasureRun measures a rank. Warm-up requests count neither as requests nor for
// stages and steps, unless there are no others; operators and kernels are those of the
// whole recording.
func MeasureRun(tl *timeline.Timeline, roles *Roles, opt MeasureOptions) *DiffRun {
	m := &measuring{scene: survey(tl, roles), opt: opt}
	m.run = &DiffRun{Path: tl.Info.Path, Device: m.sum.Device, Rank: tl.Info.Rank, Ranks: 1}
	m.chooseRequests()
	m.requests()
	m.steps()
	m.stages()
	m.ops()
	m.deviceWork()
	if lost := lostEvents(m.scene).found; !tl.Info.Complete {
		m.run.Damage = "the file is cut: what came later is missing"
	} else if len(lost) > 0 {
		m.run.Damage = lost[0].Title
	}
	return m.run
}

// measuring is a rank under measurement.
type measuring struct {
	*scene
	opt MeasureOptions
	run *DiffRun
	of  []bool // requests that count
	n   int64  // how many
}

func (m *measuring) name(s string) string {
	if m.opt.Exact {
		return s
	}
	return NormalName(s)
}

// chooseRequests leaves out warm-ups, and what torch.profiler leaves at the end.
func (m *measuring) chooseRequests() {
	list := m.d.Requests
	m.of = make([]bool, len(list))
	choose := func(want func(i int) bool) {
		for i := range list {
			if m.of[i] = want(i); m.of[i] {
				m.n++
			}
		}
	}
	if m.opt.Request != nil {
		choose(func(i int) bool { return i == *m.opt.Request })
		return
	}
	last := len(list) - m.stub(list)
	choose(func(i int) bool { return !list[i].WarmUp && i < last })
	if m.n == 0 {
		choose(func(i int) bool { return i < last })
	}
}

func (m *measuring) counts(request int) bool { return request < len(m.of) && m.of[request] }

// requests adds a row for the typical request.
func (m *measuring) requests() {
	var took []int64
	for i := range m.d.Requests {
		if m.counts(i) {
			took = append(took, m.d.Requests[i].Dur())
		}
	}
	m.run.Requests = len(took)
	if len(took) > 0 {
		t := medianInt(took)
		m.run.Rows = append(m.run.Rows, Measured{Kind: DiffRequest, Name: "request", Time: t, Count: int64(len(took)), CPU: &t, Gated: true})
	}
}

// stages adds a row for each stage, of a request on average, and rows for the models in
// them, which are no regressions of their own.
func (m *measuring) stages() {
	at := map[alignKey]int{}
	add := func(of, name string, took, cpu int64, device *int64) {
		key := alignKey{DiffStage, of, name}
		i, ok := at[key]
		if !ok {
			i = len(m.run.Rows)
			at[key] = i
			m.run.Rows = append(m.run.Rows, Measured{Kind: DiffStage, Name: name, Of: of, CPU: new(int64), Gated: of == ""})
		}
		r := &m.run.Rows[i]
		r.Time, r.Count, *r.CPU = r.Time+took, r.Count+1, *r.CPU+cpu
		if device != nil {
			if r.Device == nil {
				r.Device = new(int64)
			}
			*r.Device += *device
		}
	}
	for i := range m.sum.Stages {
		s := &m.sum.Stages[i]
		if !m.counts(s.Request) {
			continue
		}
		took := max(s.CPU, valueOf(s.GPUSpan))
		if s.Steps > 0 {
			took = m.loopTook(s)
		}
		stage := m.name(s.Stage)
		add("", stage, took, s.CPU, s.GPUSpan)
		if s.Steps == 0 && s.Evidence != ByRange && s.Name != "" && s.Name != s.Stage {
			add(stage, m.model(s), took, s.CPU, s.GPUSpan)
		}
	}
	for _, i := range at {
		r := &m.run.Rows[i]
		r.Time /= m.n
		*r.CPU /= m.n
		if r.Device != nil {
			*r.Device /= m.n
		}
	}
}

// model names what ran in a stage: the module, or the call without its line.
func (m *measuring) model(s *StageInfo) string {
	if text, ok := splitCall(s.Name); ok && !m.opt.Exact {
		return text
	}
	return m.name(s.Name)
}

// window is the part of the recording of which operators and kernels count.
func (m *measuring) window() (from, to int64, whole bool) {
	if m.opt.Request == nil {
		return 0, 0, true
	}
	if i := *m.opt.Request; i >= 0 && i < len(m.d.Requests) {
		return m.d.Requests[i].Start, m.d.Requests[i].End, false
	}
	return 0, 0, false
}

// sumsByName adds up rows by name.
type sumsByName struct {
	m    *measuring
	kind DiffKind
	of   []int32 // by NameID: row+1
	rows map[string]int32
}

func (m *measuring) byName(k DiffKind) *sumsByName {
	return &sumsByName{m, k, make([]int32, m.tl.Names()), map[string]int32{}}
}

// row returns the row of a name.
func (s *sumsByName) row(id timeline.NameID) *Measured {
	if s.of[id] == 0 {
		name := s.m.name(s.m.tl.Name(id))
		at, ok := s.rows[name]
		if !ok {
			s.m.run.Rows = append(s.m.run.Rows, Measured{Kind: s.kind, Name: name})
			at = int32(len(s.m.run.Rows))
			s.rows[name] = at
		}
		s.of[id] = at
	}
	return &s.m.run.Rows[s.of[id]-1]
}

// ops adds operators, annotations and runtime calls: their number, their time without and
// with what they call. Python calls are not rows, and take nothing from those around them.
func (m *measuring) ops() {
	r := &m.tl.Ranges
	from, to, whole := m.window()
	self := make([]int64, r.Len())
	outer := make([]timeline.RangeID, r.Len())
	for i := range self {
		self[i] += r.Dur[i]
		p := r.Parent[i]
		if p != timeline.NoRange && r.Class[p] == event.Python {
			p = outer[p]
		}
		if outer[i] = p; p != timeline.NoRange && r.Class[i] != event.Python {
			self[p] -= r.Dur[i]
		}
	}
	sums := m.byName(DiffOp)
	for i := range self {
		if r.Class[i] == event.OtherRange && m.tl.Tracks[m.tl.RangeTrack(timeline.RangeID(i))].Place == event.Logical {
			continue // the profiler's own span
		}
		if r.Class[i] == event.Python || !whole && (r.Start[i] < from || r.Start[i] >= to) {
			continue
		}
		row := sums.row(r.Name[i])
		if row.CPU == nil {
			row.CPU = new(int64)
		}
		row.Time, row.Count, *row.CPU = row.Time+self[i], row.Count+1, *row.CPU+r.Dur[i]
	}
}

// deviceWork adds device work by name; of a request alone, what it launched.
func (m *measuring) deviceWork() {
	a := &m.tl.Activities
	from, to, whole := m.window()
	sums := m.byName(DiffKernel)
	for i := range a.Start {
		if !a.Class[i].IsWork() {
			continue
		}
		if l := a.Launch[i]; !whole && (l == timeline.NoRange || m.tl.Ranges.Start[l] < from || m.tl.Ranges.Start[l] >= to) {
			continue
		}
		row := sums.row(a.Name[i])
		if row.Device == nil {
			row.Device = new(int64)
		}
		row.Time, row.Count, *row.Device = row.Time+a.Dur[i], row.Count+1, *row.Device+a.Dur[i]
	}
}
