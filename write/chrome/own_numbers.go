package chrome

import "reel/analyze"

// numbers are the times of stages and steps, as JSON members behind others.
type numbers struct {
	stages []analyze.StageInfo
	steps  []analyze.StepInfo
}

// measured measures the rank's stages and steps; without roles there is nothing.
func measured(r analyze.Rank, roles *analyze.Roles) numbers {
	var n numbers
	if roles == nil {
		return n
	}
	s := analyze.Summarize(r.TL, roles)
	for _, st := range s.Stages {
		if st.Steps == 0 { // loops are made of steps
			n.stages = append(n.stages, st)
		}
	}
	n.steps = s.Steps
	if len(n.stages) != len(r.Derived.Stages) || len(n.steps) != len(r.Derived.Steps) {
		return numbers{} // derived by other rules
	}
	return n
}

func (n numbers) stage(i int) string {
	if i >= len(n.stages) {
		return ""
	}
	s := &n.stages[i]
	return deviceTimes(s.CPU, s.GPUBusy, s.GPUSpan, s.Activities)
}

func (n numbers) step(i int) string {
	if i >= len(n.steps) {
		return ""
	}
	s := &n.steps[i]
	args := deviceTimes(s.CPU, s.GPUBusy, s.GPUSpan, s.Activities)
	if s.GPUIdle != nil {
		args += `, "gpu_idle_ns": ` + itoa(*s.GPUIdle) + `, "launches": ` + itoa(int64(s.Launches))
	}
	return args
}

func deviceTimes(cpu int64, busy, span *int64, activities int) string {
	args := `, "cpu_ns": ` + itoa(cpu)
	switch {
	case busy != nil && span != nil:
		args += `, "gpu_busy_ns": ` + itoa(*busy) + `, "gpu_span_ns": ` + itoa(*span) + `, "activities": ` + itoa(int64(activities))
	case span != nil: // by events of the device
		args += `, "gpu_span_ns": ` + itoa(*span)
	}
	return args
}
