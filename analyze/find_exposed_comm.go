package analyze

import "fmt"

// exposedComm looks for communication between devices that no computation hides.
func exposedComm(s *scene) answer {
	switch {
	case s.sum.GPU == nil:
		return unknown(noDevice)
	case s.sum.GPU.Comm == 0:
		return fine("no communication between devices")
	}
	var cost, exposed, comm, device int64
	measured := func(l *lap) GPU { return measure(s.tl, l.acts, s.kernels.comm) }
	s.counted(func(l *lap) { cost += measured(l).ExposedComm })
	s.hot(func(l *lap) {
		g := measured(l)
		exposed, comm, device = exposed+g.ExposedComm, comm+g.Comm, device+g.Span
	})
	p := percent(exposed, device)
	if p <= s.limits.get("exposed-comm") {
		return fine(fmt.Sprintf("exposed communication takes %s of %s", share100(p), s.each()))
	}
	return found(Finding{Severity: SeverityWarn, Cost: &cost, Where: where(s.stage(), s.lapCall()),
		Title:    fmt.Sprintf("only communication runs on the device for %s of %s", share100(p), s.each()),
		Evidence: s.over(facts{"exposed_percent": p, "exposed_ns": exposed, "comm_ns": comm, "overlap_percent": percent(comm-exposed, comm)}),
		Remedy:   "Overlap it with computation (a stream of its own, chunks, asynchronous collectives), send less (16 bits), or split the work otherwise. A rank that waits for a slow one shows here too."})
}
