package device

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// pool is the helpers that kernels share. A kernel's own goroutine always works on
// it too, so that a kernel makes progress while others have the helpers.
type pool struct {
	jobs chan *job
	wg   sync.WaitGroup
}

// job is one call of Parallel.
type job struct {
	f     func(task int, l *Lane)
	tasks int64
	next  atomic.Int64
	left  atomic.Int64 // tasks that have not ended
	done  chan struct{}
	fault atomic.Pointer[panicked]
}

// panicked is what a task panicked with.
type panicked struct {
	cause any
	calls string
}

// Lane is a goroutine that works on kernels, with scratch memory of its own.
type Lane struct {
	scratch [4][]float32
}

// Floats returns n floats of scratch memory, of unknown content. A slot (0 to 3)
// holds one at a time; it lasts until the task ends.
func (l *Lane) Floats(slot, n int) []float32 {
	if cap(l.scratch[slot]) < n {
		l.scratch[slot] = make([]float32, n)
	}
	return l.scratch[slot][:n]
}

func newPool(helpers int) *pool {
	p := &pool{jobs: make(chan *job, 4*max(helpers, 1))}
	for range helpers {
		p.wg.Go(func() {
			l := &Lane{}
			for j := range p.jobs {
				j.work(l)
			}
		})
	}
	return p
}

func (p *pool) close() {
	close(p.jobs)
	p.wg.Wait()
}

// run runs f for the tasks 0 to n-1 on the caller's lane and on idle helpers.
func (p *pool) run(n, helpers int, l *Lane, f func(task int, l *Lane)) {
	helpers = min(helpers, n-1)
	if helpers <= 0 {
		for i := range n {
			f(i, l)
		}
		return
	}
	j := &job{f: f, tasks: int64(n), done: make(chan struct{})}
	j.left.Store(int64(n))
	for range helpers {
		select {
		case p.jobs <- j:
		default: // all have enough to do
		}
	}
	j.work(l)
	<-j.done
	if x := j.fault.Load(); x != nil {
		panic(x)
	}
}

func (j *job) work(l *Lane) {
	for {
		i := j.next.Add(1) - 1
		if i >= j.tasks {
			return
		}
		j.task(int(i), l)
		if j.left.Add(-1) == 0 {
			close(j.done)
		}
	}
}

func (j *job) task(i int, l *Lane) {
	if j.fault.Load() != nil {
		return
	}
	defer func() {
		if x := recover(); x != nil {
			j.fault.CompareAndSwap(nil, &panicked{x, string(debug.Stack())})
		}
	}()
	j.f(i, l)
}

// Kernel is the hand of a kernel that runs.
type Kernel struct {
	pool    *pool
	helpers int
	lane    Lane
}

// Lane returns the lane of the kernel's own goroutine.
func (k *Kernel) Lane() *Lane { return &k.lane }

// Cores returns how many goroutines may work on the kernel.
func (k *Kernel) Cores() int { return k.helpers + 1 }

// Parallel runs f for the tasks 0 to n-1, on several cores where they are idle, and
// returns when all have ended. f must not call Parallel.
func (k *Kernel) Parallel(n int, f func(task int, l *Lane)) { k.pool.run(n, k.helpers, &k.lane, f) }

// Ranges cuts 0 to n into ranges of grain at least and runs f on them in parallel.
func (k *Kernel) Ranges(n, grain int, f func(from, to int, l *Lane)) {
	if n <= 0 {
		return
	}
	grain = max(grain, 1)
	parts := min(4*k.Cores(), (n+grain-1)/grain)
	if parts <= 1 {
		f(0, n, &k.lane)
		return
	}
	k.Parallel(parts, func(i int, l *Lane) { f(i*n/parts, (i+1)*n/parts, l) })
}
