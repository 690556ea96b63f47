package analyze

// fill lists requests, stages and steps with their times.
func (s *RankSummary) fill(c *scene, m *shares) {
	tl, d := c.tl, c.d
	device := s.Timing == DeviceTimed
	opt := func(v int64) *int64 {
		if !device {
			return nil
		}
		return &v
	}
	between := newBrackets(tl, d, device)
	if between.some {
		s.Timing = EventTimed
	}
	spans := func(sh *share, events *int64) *int64 {
		if device {
			return opt(sh.span())
		}
		return events
	}
	inRequest := make([]int64, len(d.Requests))
	for i, x := range d.Stages {
		sh := &m.stage[i]
		s.Stages = append(s.Stages, StageInfo{x.Request, x.Stage, x.Name, x.Start - tl.Origin, x.Dur(),
			opt(sh.busy.length()), spans(sh, between.stage[i]), sh.count, 0, x.Evidence, classNS(&sh.class), c.peak(x)})
		inRequest[x.Request] += x.Dur()
	}
	for i, x := range d.Steps {
		sh := &m.step[i]
		busy, span := sh.busy.length(), sh.span()
		s.Steps = append(s.Steps, StepInfo{x.Request, x.Loop, x.Index, x.Name, x.Start - tl.Origin, x.Dur(),
			opt(busy), spans(sh, between.step[i]), opt(span - busy), sh.count, sh.launches, x.Evidence, classNS(&sh.class), c.peak(x)})
		inRequest[x.Request] += x.Dur()
	}
	s.addLoops()
	for i, x := range d.Requests {
		s.Requests = append(s.Requests, RequestInfo{i, x.Name, x.Start - tl.Origin, x.Dur(), max(0, x.Dur()-inRequest[i]), x.Evidence, x.WarmUp})
	}
	if device {
		s.Outside = &Outside{m.outside.busy.length(), m.outside.count}
	}
}

// addLoops adds each loop as a stage "diffuse": the sums of its steps.
func (s *RankSummary) addLoops() {
	var loops []StageInfo
	for i, st := range s.Steps {
		if i == 0 || st.Request != s.Steps[i-1].Request || st.Loop != s.Steps[i-1].Loop {
			loops = append(loops, StageInfo{Request: st.Request, Stage: "diffuse", Name: st.Name, Start: st.Start, Evidence: st.Evidence})
			l := &loops[len(loops)-1]
			l.GPUBusy, l.GPUSpan = zero(st.GPUBusy), zero(st.GPUSpan)
		}
		l := &loops[len(loops)-1]
		l.CPU += st.CPU
		l.Activities += st.Activities
		l.Steps++
		for class, ns := range st.ClassTime {
			if l.ClassTime == nil {
				l.ClassTime = map[string]int64{}
			}
			l.ClassTime[class] += ns
		}
		if p := st.PeakMemory; p != nil && (l.PeakMemory == nil || *p > *l.PeakMemory) {
			l.PeakMemory = p
		}
		l.GPUBusy, l.GPUSpan = plusKnown(l.GPUBusy, st.GPUBusy), plusKnown(l.GPUSpan, st.GPUSpan)
	}
	var merged []StageInfo
	stages := s.Stages
	for len(stages) > 0 && len(loops) > 0 {
		if loops[0].Start < stages[0].Start {
			merged, loops = append(merged, loops[0]), loops[1:]
		} else {
			merged, stages = append(merged, stages[0]), stages[1:]
		}
	}
	s.Stages = append(append(append([]StageInfo{}, merged...), stages...), loops...)
}

// zero is 0 where v is known.
func zero(v *int64) *int64 {
	if v == nil {
		return nil
	}
	return new(int64)
}

// plusKnown is a sum; it is unknown when a part is.
func plusKnown(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	v := *a + *b
	return &v
}
