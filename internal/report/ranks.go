package report

import (
	"strconv"

	"reel/analyze"
	"reel/table"
)

// shownRanks bounds the rows of the rank table.
const shownRanks = 64

// ranks writes the report of a run of several ranks.
func (p *page) ranks(d *analyze.Document) {
	p.ranksHeader(d)
	p.gap()
	p.rankTable(d)
	stages, steps, unattributed := 0, 0, 0
	for i := range d.Ranks {
		stages += len(d.Ranks[i].Stages)
		steps += len(d.Ranks[i].Steps)
		unattributed += d.Ranks[i].Links.Unattributed
	}
	if stages > 0 {
		p.gap()
		p.stagesOfRanks(d)
	}
	if steps > 0 {
		p.gap()
		p.stepsOfRanks(d)
	}
	p.skew(d)
	p.waits(d)
	p.clock(d)
	if stages == 0 {
		p.gap()
		p.note("", "no stage and no denoise step found in any rank; the summary of one rank alone says what was looked for")
	}
	if unattributed > 0 {
		p.note("", count(unattributed, "activity", "activities")+" of all ranks without a launch in their trace: counted for the device, in no stage")
	}
}

func (p *page) ranksHeader(d *analyze.Document) {
	devices, hosts, producers := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var device, host, producer string
	for i := range d.Ranks {
		r := &d.Ranks[i]
		device, host, producer = deviceName(r), r.Host, r.Producer
		if r.Device == "" { // a number would tell devices of one sort apart
			device = ""
		}
		devices[device], hosts[host], producers[producer] = true, true, true
	}
	if len(devices) > 1 {
		device = count(len(devices), "kind", "kinds") + " of device"
	}
	if len(hosts) > 1 {
		host = count(len(hosts), "host", "hosts")
	} else if host != "" {
		host = "host " + host
	}
	if len(producers) > 1 {
		producer = "trace"
	}
	world := ""
	if d.WorldSize != nil && *d.WorldSize != d.RankCount() {
		world = " of " + strconv.Itoa(*d.WorldSize)
	}
	p.title(strconv.Itoa(d.RankCount())+world+" ranks", device, host, readText(d.Sources, producer), cutText(d.Sources))
}

// rankTable has a row for each rank: what its device did.
func (p *page) rankTable(d *analyze.Document) {
	t := table.New("ranks", append([]table.Col{{Name: "rank", Unit: table.None}}, p.gpuCols()...)...)
	for i := range d.Ranks {
		r := &d.Ranks[i]
		if i == shownRanks && len(d.Ranks) > shownRanks+1 {
			t.Note("… and %d more ranks; --json has all", len(d.Ranks)-i)
			break
		}
		if r.GPU == nil {
			t.Add(r.Rank, r.Duration)
			continue
		}
		t.Add(append([]any{r.Rank}, p.gpuRow(r.GPU)...)...)
	}
	p.table(t)
}

// extremes are the fastest and the slowest of something over ranks.
type extremes struct {
	all            []int64
	lo, hi         int64
	loRank, hiRank int
	n              int
}

func (e *extremes) add(v int64, rank int) {
	if e.n == 0 || v < e.lo {
		e.lo, e.loRank = v, rank
	}
	if e.n == 0 || v > e.hi {
		e.hi, e.hiRank = v, rank
	}
	e.n++
	e.all = append(e.all, v)
}

// stagesOfRanks compares each stage, summed over a rank, between the ranks.
func (p *page) stagesOfRanks(d *analyze.Document) {
	var order []string
	by := map[string]*extremes{}
	for i := range d.Ranks {
		r := &d.Ranks[i]
		total := map[string]int64{}
		for _, s := range r.Stages {
			if by[s.Stage] == nil {
				by[s.Stage] = &extremes{}
				order = append(order, s.Stage)
			}
			total[s.Stage] += stageTook(s)
		}
		for stage, v := range total {
			by[stage].add(v, r.Rank)
		}
	}
	t := table.New("stages", table.Col{Name: "stage", Unit: table.Text}, table.Col{Name: "median rank", Unit: table.Nanoseconds},
		table.Col{Name: "fastest", Unit: table.Nanoseconds}, table.Col{Name: "rank", Unit: table.None},
		table.Col{Name: "slowest", Unit: table.Nanoseconds}, table.Col{Name: "rank", Unit: table.None})
	for _, s := range order {
		e := by[s]
		t.Add(s, median(e.all), e.lo, e.loRank, e.hi, e.hiRank)
	}
	p.table(t)
}

// stageTook is the longer of a stage's host time and its span on the device.
func stageTook(s analyze.StageInfo) int64 { return max(s.CPU, value(s.GPUSpan)) }

// stepsOfRanks compares the ranks' median steps, and names the longest step.
func (p *page) stepsOfRanks(d *analyze.Document) {
	var medians, single extremes
	slowest := ""
	for i := range d.Ranks {
		r := &d.Ranks[i]
		if len(r.Steps) == 0 {
			continue
		}
		medians.add(medianTook(r.Steps), r.Rank)
		for k := range r.Steps {
			if s := &r.Steps[k]; single.n == 0 || took(s) > single.hi {
				slowest = "step " + strconv.Itoa(s.Index)
			}
			single.add(took(&r.Steps[k]), r.Rank)
		}
	}
	p.joined("", 0, []string{"steps: median " + dur(median(medians.all)),
		"fastest rank " + strconv.Itoa(medians.loRank) + " (" + dur(medians.lo) + ")",
		"slowest rank " + strconv.Itoa(medians.hiRank) + " (" + dur(medians.hi) + ", " + times(medians.hi, medians.lo) + ")",
		"longest of all: " + slowest + " of rank " + strconv.Itoa(single.hiRank) + " (" + dur(single.hi) + ")"})
}
