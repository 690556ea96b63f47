package analyze

import (
	"fmt"
	"maps"
	"slices"

	"reel/timeline"
)

// stageWork is the device time of some kernels in all runs of a stage.
type stageWork struct {
	all, some int64
	n         int
	names     tally
	where     timeline.RangeID // launch of the longest
	longest   int64
}

// byStage sums the device work of each stage, and that part of it which pick
// accepts. Without stages everything is "".
func (s *scene) byStage(pick func(w int) bool) map[string]*stageWork {
	out := map[string]*stageWork{}
	a := &s.tl.Activities
	for w, i := range s.work {
		if s.isWarm(w) {
			continue
		}
		stage := s.stageOf(s.place[w])
		x := out[stage]
		if x == nil {
			x = &stageWork{where: timeline.NoRange}
			out[stage] = x
		}
		x.all += a.Dur[i]
		if pick(w) {
			x.some, x.n = x.some+a.Dur[i], x.n+1
			x.names.add(shortName(s.tl.Name(a.Name[i])), a.Dur[i])
			if a.Dur[i] > x.longest {
				x.longest, x.where = a.Dur[i], a.Launch[i]
			}
		}
	}
	return out
}

func (s *scene) stageOf(place int32) string {
	switch {
	case place < 0:
		return "diffuse"
	case place > 0:
		return s.d.Stages[place-1].Stage
	}
	return ""
}

// atLeast is the share of all device work below which the trouble of one stage is
// not worth telling, percent.
const atLeast = 0.5

// heavy returns the stages in which the picked work takes more than limit percent.
func (s *scene) heavy(work map[string]*stageWork, limit float64) (stages []string) {
	var all int64
	for _, x := range work {
		all += x.all
	}
	for _, stage := range slices.Sorted(maps.Keys(work)) {
		if x := work[stage]; percent(x.some, x.all) > limit && percent(x.some, all) >= atLeast {
			stages = append(stages, stage)
		}
	}
	return stages
}

// inStage says "the diffuse stage's device time" or "the device time".
func inStage(stage string) string {
	if stage == "" {
		return "the device time"
	}
	return "the device time of " + stage
}

// layoutConversion looks for kernels that only turn tensors from channels-first to
// channels-last and back.
func layoutConversion(s *scene) answer {
	if s.sum.GPU == nil {
		return unknown(noDevice)
	}
	work := s.byStage(func(w int) bool { return s.kernels.of(s.work[w]).layout })
	var list []Finding
	for _, stage := range s.heavy(work, s.limits.get("layout-conversion")) {
		x := work[stage]
		p := percent(x.some, x.all)
		list = append(list, Finding{Severity: SeverityWarn, Cost: &x.some, Where: where(stage, s.calls.place(x.where)),
			Title:    fmt.Sprintf("changing the layout of tensors takes %s of %s", share100(p), inStage(stage)),
			Evidence: facts{"layout_percent": p, "layout_ns": x.some, "stage_ns": x.all, "kernels": x.n, "names": x.names.list(3)},
			Remedy:   "Keep one layout throughout: model.to(memory_format=torch.channels_last) for what convolves."})
	}
	if len(list) > 0 {
		return found(list...)
	}
	return fine("hardly any kernel only changes the layout of a tensor")
}
