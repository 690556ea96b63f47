package synth

// launchGap is what lies at least between two kernels of a stream, and
// launchDelay between the launch call and the kernel's begin.
const (
	launchGap   = 850
	launchDelay = 3600
)

// external is the id of the innermost open operator, as Kineto links it.
func (s *sim) external() int64 {
	if s.openOp < 0 {
		return 0
	}
	return s.ops[s.openOp].id
}

// api records a runtime call that launches nothing and takes dur.
func (s *sim) api(name string, dur int64) {
	s.apis = append(s.apis, apiCall{name: name, start: s.now, dur: dur, external: s.external(), correlation: s.nextCorr})
	s.nextCorr++
	s.now += dur + 120
}

// launch puts w on its stream. A kernel's first launch loads its module.
func (s *sim) launch(w *work) {
	dur := s.jitter(4300)
	if !s.warm[w.name] {
		s.warm[w.name] = true
		dur += s.jitter(900_000)
	}
	s.apis = append(s.apis, apiCall{name: w.launch, start: s.now, dur: dur, external: s.external(),
		correlation: s.nextCorr, work: w, driver: w.driver, activities: 1})
	s.owners[s.openOwner].launches++
	stream := computeStream
	ready := s.now + dur + launchDelay - 1500
	if w.comm {
		stream = commStream
		ready = max(ready, s.free[computeStream]+launchGap)
	}
	s.enqueue(w, stream, ready, s.external(), s.nextCorr, 0)
	s.nextCorr++
	s.now += dur + 150
}

func (s *sim) enqueue(w *work, stream int, ready, external, correlation int64, node int) {
	start := max(ready, s.free[stream]+launchGap)
	dur := max(s.jitter(w.dur), 1)
	s.activities = append(s.activities, activity{work: w, start: start, dur: dur, external: external,
		correlation: correlation, stream: stream, owner: s.openOwner, node: node})
	s.free[stream] = start + dur
}

// replay launches a captured graph: one call, and all its kernels share its
// correlation. Kineto links only some of them to the region around the launch.
func (s *sim) replay(kernels []*work) {
	dur := s.jitter(210_000)
	name := "cudaGraphLaunch"
	if s.opt.Vendor == ROCm {
		name = "hipGraphLaunch"
	}
	s.apis = append(s.apis, apiCall{name: name, start: s.now, dur: dur, external: s.external(),
		correlation: s.nextCorr, work: kernels[0], activities: len(kernels)})
	s.owners[s.openOwner].launches++
	ready := s.now + dur/2 + launchDelay
	for i, w := range kernels {
		external := s.external()
		if i%5 == 4 {
			external = 0
		}
		stream := computeStream
		if w.comm {
			stream = commStream
			ready = max(ready, s.free[computeStream]+launchGap)
		}
		s.enqueue(w, stream, ready, external, s.nextCorr, i+1)
		if !w.comm && i > 0 && kernels[i-1].comm {
			s.join()
		}
	}
	s.nextCorr++
	s.now += dur + 200
}

// join makes the compute stream wait for the communication stream.
func (s *sim) join() {
	s.free[computeStream] = max(s.free[computeStream], s.free[commStream])
}

// wait blocks the host until the compute stream is idle.
func (s *sim) wait(name string) {
	done := max(s.free[computeStream], s.free[commStream]) + 2100
	s.api(name, max(done-s.now, 900))
}

// allocate records an output's memory, and frees what came before it.
func (s *sim) allocate(bytes int64) {
	if !s.opt.Memory || bytes == 0 {
		return
	}
	bytes = (bytes + 511) &^ 511
	if s.allocated > 64<<20 {
		s.instant(-bytes)
	}
	s.instant(bytes)
}

func (s *sim) instant(bytes int64) {
	s.allocated += bytes
	addr := int64(0x7f2a_0000_0000) + (s.allocated*37)&^511%(1<<32)
	s.mem = append(s.mem, memEvent{s.now, addr, bytes, 216_081_408 + s.allocated})
	s.now += 90
}
