package report

import (
	"strconv"

	"reel/analyze"
	"reel/internal/stats"
	"reel/table"
)

// allSteps is how many steps are listed one by one.
const allSteps = 12

// took is how long a step took: the longer of what the host and what the device
// needed, because either may run ahead of the other.
func took(s *analyze.StepInfo) int64 {
	if s.GPUSpan != nil {
		return max(s.CPU, *s.GPUSpan)
	}
	return s.CPU
}

// steps writes the denoise steps, loop by loop.
func (p *page) steps(r *analyze.RankSummary) {
	var loops [][]analyze.StepInfo
	for i, s := range r.Steps {
		if i == 0 || s.Request != r.Steps[i-1].Request || s.Loop != r.Steps[i-1].Loop {
			loops = append(loops, nil)
		}
		loops[len(loops)-1] = append(loops[len(loops)-1], s)
	}
	if len(loops) > maxRequests {
		p.manyLoops(r, loops)
		return
	}
	for _, steps := range loops {
		p.gap()
		p.loop(r, steps, len(loops) > 1)
		p.steady(steps)
	}
}

// loop writes the steps of one loop.
func (p *page) loop(r *analyze.RankSummary, steps []analyze.StepInfo, several bool) {
	if several {
		name := "steps of request " + strconv.Itoa(steps[0].Request)
		if moreLoops(r, steps[0].Request) {
			name += ", loop " + strconv.Itoa(steps[0].Loop)
		}
		p.title(name)
	}
	if len(steps) <= allSteps {
		p.stepTable(steps)
	} else {
		p.stepExtremes(steps)
	}
}

// manyLoops shows the loop of the typical request, and all steps as one strip.
func (p *page) manyLoops(r *analyze.RankSummary, loops [][]analyze.StepInfo) {
	shown := r.Requests[typical(r.Requests)].Index
	for _, steps := range loops {
		if steps[0].Request == shown {
			p.gap()
			p.loop(r, steps, true)
		}
	}
	p.gap()
	p.title("all " + count(len(r.Steps), "step", "steps"))
	p.strip(allTook(r.Steps), "steps")
	p.stepOutliers(r.Steps)
	p.steady(r.Steps)
}

// stepCols are the columns of step tables; the last is for remarks.
func (p *page) stepCols(s *analyze.StepInfo) []table.Col {
	cols := []table.Col{{Name: "step", Unit: table.None}, {Name: "CPU", Unit: table.Nanoseconds}}
	if s.GPUBusy != nil {
		cols = append(cols, table.Col{Name: "device", Unit: table.Nanoseconds}, table.Col{Name: p.long("span", "span on device"), Unit: table.Nanoseconds},
			table.Col{Name: p.long("idle", "idle on device"), Unit: table.Nanoseconds}, table.Col{Name: p.long("busy", "busy of span"), Unit: table.Bar})
	} else {
		if s.GPUSpan != nil {
			cols = append(cols, table.Col{Name: "device", Unit: table.Nanoseconds})
		}
		cols = append(cols, table.Col{Name: p.long("length", "of longest"), Unit: table.Bar})
	}
	return append(cols, table.Col{Unit: table.Text})
}

// stepRow is a step's row; the bar is the device's share of its span, or without
// that the step's share of the longest. first is the step that the columns are of.
func stepRow(s, first *analyze.StepInfo, longest int64) []any {
	if s.GPUBusy != nil {
		return []any{s.Index, s.CPU, *s.GPUBusy, opt(s.GPUSpan), opt(s.GPUIdle), ratio(s.GPUBusy, s.GPUSpan)}
	}
	length := float64(took(s)) / float64(max(longest, 1))
	if first.GPUSpan != nil {
		return []any{s.Index, s.CPU, opt(s.GPUSpan), length}
	}
	return []any{s.Index, s.CPU, length}
}

func longestStep(steps []analyze.StepInfo) (longest int64) {
	for i := range steps {
		longest = max(longest, took(&steps[i]))
	}
	return longest
}

// stepTable lists every step.
func (p *page) stepTable(steps []analyze.StepInfo) {
	t := table.New("step", p.stepCols(&steps[0])...)
	odd := map[int]bool{}
	for _, i := range outlierSteps(steps) {
		odd[i] = i > 0 || !firstIsSlow(steps) // a slow first step has its own line
	}
	longest, middle := longestStep(steps), medianTook(steps)
	for i := range steps {
		row := stepRow(&steps[i], &steps[0], longest)
		if odd[i] {
			row = append(row, times(took(&steps[i]), middle)+" the median")
		}
		t.Add(row...)
	}
	p.table(t)
}

// stepExtremes shows the first, shortest, median and longest step, all of them
// as a strip, and names the outliers.
func (p *page) stepExtremes(steps []analyze.StepInfo) {
	cols := p.stepCols(&steps[0])
	t := table.New("steps", append([]table.Col{{Name: count(len(steps), "step", "steps"), Unit: table.Text}}, cols[:len(cols)-1]...)...)
	longest := longestStep(steps)
	order := byTook(steps)
	pick := func(word string, i int) {
		t.Add(append([]any{word}, stepRow(&steps[i], &steps[0], longest)...)...)
	}
	pick("first", 0)
	pick("shortest", order[0])
	pick("median", order[(len(order)-1)/2])
	pick("longest", order[len(order)-1])
	p.table(t)
	p.strip(allTook(steps), "steps")
	p.stepOutliers(steps)
}

// outlierSteps are the steps far from the median: more than 3.5 deviations, and
// 10 % of it.
func outlierSteps(steps []analyze.StepInfo) []int {
	return stats.Outliers(allTook(steps), stats.OutlierOptions{MinShare: 0.1})
}

// stepOutliers names the outliers among steps.
func (p *page) stepOutliers(steps []analyze.StepInfo) {
	var odd []outlier
	for _, i := range outlierSteps(steps) {
		s := &steps[i]
		name := "step " + strconv.Itoa(s.Index)
		if steps[0].Request != steps[len(steps)-1].Request {
			name += " of request " + strconv.Itoa(s.Request)
		}
		odd = append(odd, outlier{name, took(s)})
	}
	p.outliers(odd, medianTook(steps))
}
