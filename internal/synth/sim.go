package synth

import "math/rand/v2"

// baseNS is the start of a "trimonth", as Kineto rounds it: 225 × 7889238 s.
const baseNS = 225 * 7889238 * 1_000_000_000

const (
	computeStream = 0
	commStream    = 1
)

// The records of one request, in the order in which they began.
type (
	opEvent struct {
		op         *op
		name       string // of an annotation, when op is nil
		start, end int64
		id         int64
		parent     int // index of the enclosing one, -1 for none
	}
	pyEvent struct {
		name       string
		start, end int64
		id, parent int64
		module     int // index within its class, -1 for a plain call
	}
	apiCall struct {
		name                  string
		start, dur            int64
		external, correlation int64
		work                  *work // what it launches first; nil for none
		driver                bool
		activities            int // how many activities it caused
	}
	activity struct {
		work                  *work
		start, dur            int64
		external, correlation int64
		stream, owner, node   int
	}
	memEvent struct {
		at, addr, bytes, allocated int64
	}
	// owner is a module call that counts as a stage or a step; number 0 stands
	// for everything else.
	owner struct {
		stage, name string
		index       int
		start, end  int64
		launches    int
	}
)

// sim runs requests on a host thread that launches onto device streams. All its
// buffers hold the latest request only; ids and the clock run on.
type sim struct {
	opt  Options
	pipe *pipeline
	rng  *rand.Rand

	now                      int64 // host clock, ns since the base
	nextID, nextPy, nextCorr int64
	free                     [2]int64 // when each stream is idle again
	allocated                int64
	warm                     map[string]bool // kernels that are loaded

	ops        []opEvent
	calls      []pyEvent
	apis       []apiCall
	activities []activity
	mem        []memEvent
	owners     []owner
	annotated  []opEvent // annotations that the device side repeats

	openOp, openCall, openOwner int // innermost open ones; -1, -1, 0 for none
	callStart, callEnd          int64
}

func newSim(o Options) *sim {
	s := &sim{opt: o, pipe: newPipeline(o)}
	s.rewind()
	return s
}

// rewind goes back to the first request.
func (s *sim) rewind() {
	o := s.opt
	s.rng = rand.New(rand.NewPCG(o.Seed, 0x5ee1+uint64(o.Rank)))
	s.now = 1_294_456_661_601_577 + int64(o.Rank)*137_211
	s.nextID, s.nextPy, s.nextCorr = 1, 1, 41_007
	s.free = [2]int64{s.now, s.now}
	s.allocated = 0
	s.warm = map[string]bool{}
}

func (s *sim) reset() {
	s.ops, s.calls, s.apis = s.ops[:0], s.calls[:0], s.apis[:0]
	s.activities, s.mem, s.annotated = s.activities[:0], s.mem[:0], s.annotated[:0]
	s.owners = append(s.owners[:0], owner{})
	s.openOp, s.openCall, s.openOwner = -1, -1, 0
}

// jitter varies a typical time by up to an eighth, and now and then by far more.
func (s *sim) jitter(ns int64) int64 {
	v := ns*7/8 + s.rng.Int64N(ns/4+1)
	if s.rng.IntN(400) == 0 {
		v += ns * int64(1+s.rng.IntN(3))
	}
	return v
}

func (s *sim) spend(ns int64) { s.now += s.jitter(ns) }

// call runs f within a Python frame.
func (s *sim) call(name string, f func()) { s.frame(name, -1, f) }

func (s *sim) frame(name string, module int, f func()) {
	at, parent := len(s.calls), s.openCall
	e := pyEvent{name: name, start: s.now, id: s.nextPy, module: module}
	if parent >= 0 {
		e.parent = s.calls[parent].id
	}
	s.nextPy++
	s.calls = append(s.calls, e)
	s.openCall = at
	s.spend(180)
	f()
	s.spend(90)
	s.calls[at].end = s.now
	s.openCall = parent
	s.now += 40
}

// chatter makes n small calls that do nothing of interest.
func (s *sim) chatter(n int) {
	for range n {
		at := s.now
		s.now += 60 + s.rng.Int64N(700)
		e := pyEvent{name: small[s.rng.IntN(len(small))], start: at, end: s.now, id: s.nextPy, module: -1}
		if s.openCall >= 0 {
			e.parent = s.calls[s.openCall].id
		}
		s.nextPy++
		s.calls = append(s.calls, e)
		s.now += 50 + s.rng.Int64N(200)
	}
}

// annotate runs f within a record_function range.
func (s *sim) annotate(name string, f func()) {
	at := s.beginOp(nil, name)
	f()
	s.endOp(at)
	s.annotated = append(s.annotated, s.ops[at])
}

// note annotates when the options ask for it.
func (s *sim) note(name string, f func()) {
	if s.opt.Annotations {
		s.annotate(name, f)
		return
	}
	f()
}

func (s *sim) beginOp(o *op, name string) int {
	s.ops = append(s.ops, opEvent{op: o, name: name, start: s.now, id: s.nextID, parent: s.openOp})
	s.nextID++
	s.openOp = len(s.ops) - 1
	s.spend(500)
	return s.openOp
}

func (s *sim) endOp(at int) {
	s.spend(250)
	s.ops[at].end = s.now
	s.openOp = s.ops[at].parent
	s.now += 30
}
