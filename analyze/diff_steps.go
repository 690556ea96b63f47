package analyze

import "fmt"

// pooledLoops is the number of loops of a request from which on they are not told
// apart: a stream has one for each block.
const pooledLoops = 5

// steps adds rows for the steady steps of each loop and for its first one. A step takes
// from its start to that of the next, so that the scheduler between them is in it.
func (m *measuring) steps() {
	loops := 0
	for i := range m.sum.Steps {
		if m.counts(m.sum.Steps[i].Request) {
			loops = max(loops, m.sum.Steps[i].Loop+1)
			m.run.Steps++
		}
	}
	if loops >= pooledLoops {
		loops = 1
	}
	for loop := range loops {
		var steady, first stepValues
		for i := range m.sum.Steps {
			s := &m.sum.Steps[i]
			if !m.counts(s.Request) || loops > 1 && s.Loop != loop {
				continue
			}
			if s.Index == 0 {
				first.add(m.stepTook(i), s)
			} else {
				steady.add(m.stepTook(i), s)
			}
		}
		of := ""
		if loop > 0 {
			of = fmt.Sprintf(" of loop %d", loop)
		}
		m.addSteps("first step"+of, &first)
		m.addSteps("steady steps"+of, &steady)
	}
}

// stepValues are the steps of a row.
type stepValues struct{ took, cpu, device []int64 }

func (v *stepValues) add(took int64, s *StepInfo) {
	v.took, v.cpu = append(v.took, took), append(v.cpu, s.CPU)
	if s.GPUSpan != nil {
		v.device = append(v.device, *s.GPUSpan)
	}
}

func (m *measuring) addSteps(name string, v *stepValues) {
	n := int64(len(v.took))
	if n == 0 {
		return
	}
	r := Measured{Kind: DiffStep, Name: name, Time: medianInt(v.took), Count: n, CPU: new(medianInt(v.cpu)), Weight: max(1, n/m.n), Gated: true}
	if len(v.device) > 0 {
		r.Device = new(medianInt(v.device))
	}
	m.run.Rows = append(m.run.Rows, r)
}

// stepTook is the longer of a step's time on the host, until the next one begins, and
// its span on the device.
func (m *measuring) stepTook(i int) int64 {
	steps := m.d.Steps
	x := &steps[i]
	host := x.Dur()
	if i+1 < len(steps) && steps[i+1].Index == x.Index+1 && steps[i+1].Track == x.Track {
		host = max(host, steps[i+1].Start-x.Start)
	}
	return max(host, valueOf(m.sum.Steps[i].GPUSpan))
}

// loopTook is what the steps of a loop took together.
func (m *measuring) loopTook(loop *StageInfo) (sum int64) {
	for i := range m.sum.Steps {
		if m.sum.Steps[i].Start == loop.Start && m.sum.Steps[i].Request == loop.Request {
			for k := range loop.Steps {
				sum += m.stepTook(i + k)
			}
			break
		}
	}
	return sum
}
