package session

import (
	"image"
	"sync"

	"reel/rec"
)

// chunk is the frames of one step, and the arrival of the inputs behind them.
type chunk struct {
	id       rec.StepID
	frames   []*image.RGBA
	received []rec.Time
	shown    bool // its first frame was
}

// queue holds chunks between the model and the screen.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	depth   int
	latest  bool
	chunks  []chunk // the first one may be shown in part
	closed  bool    // no more will come
	aborted bool    // nobody waits any more
}

func newQueue(depth int, latest bool) *queue {
	q := &queue{depth: depth, latest: latest}
	q.changed.L = &q.mu
	return q
}

// waiting is the number of chunks of which no frame was shown.
func (q *queue) waiting() int {
	n := len(q.chunks)
	if n > 0 && q.chunks[0].shown {
		n--
	}
	return n
}

// put adds a chunk. It waits for room, unless the newest chunk is what counts; then
// those that wait are dropped. It gives up when the session ends or a reset makes
// the chunk worthless; the chunk is then in the queue, for clear to find.
func (q *queue) put(c chunk, reset func() bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.latest && len(q.chunks) > 0 {
		q.chunks = q.chunks[:len(q.chunks)-q.waiting()]
	}
	for q.waiting() >= q.depth && !q.aborted && !reset() {
		q.changed.Wait()
	}
	q.chunks = append(q.chunks, c)
	q.changed.Broadcast()
}

// The states of the queue for the screen.
type readiness int

const (
	empty readiness = iota // nothing new yet
	fresh                  // a frame
	ended                  // nothing will come
)

// next takes the frame to be shown. Where the newest chunk counts, the rest of an
// older one is passed over.
func (q *queue) next() (*image.RGBA, rec.StepID, readiness) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.latest && len(q.chunks) > 1 {
		q.chunks = q.chunks[len(q.chunks)-1:]
	}
	for len(q.chunks) > 0 && len(q.chunks[0].frames) == 0 {
		q.chunks = q.chunks[1:]
		q.changed.Broadcast()
	}
	if len(q.chunks) == 0 {
		if q.closed || q.aborted {
			return nil, rec.StepID{}, ended
		}
		return nil, rec.StepID{}, empty
	}
	c := &q.chunks[0]
	f := c.frames[0]
	c.frames = c.frames[1:]
	if !c.shown {
		c.shown = true
		q.changed.Broadcast() // there is room now
	}
	return f, c.id, fresh
}

// clear empties the queue and returns the arrival of the inputs that no shown
// frame has answered.
func (q *queue) clear() (received []rec.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.chunks {
		if !c.shown {
			received = append(received, c.received...)
		}
	}
	q.chunks = nil
	q.changed.Broadcast()
	return received
}

// wake has put look at its reasons to wait again.
func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
}

// close says that nothing more will come.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// abort ends all waiting.
func (q *queue) abort() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.aborted = true
	q.changed.Broadcast()
}

// depthNow is the number of chunks in the queue.
func (q *queue) depthNow() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.chunks)
}

// inputs are the batches that no step has taken yet.
type inputs struct {
	mu      sync.Mutex
	pending []Batch
	last    rec.Time
	events  int
}

// maxPending bounds the batches that wait for a step: the oldest make room.
const maxPending = 4096

// add files a batch by its time of arrival, which names it: two batches never have
// the same. arrived hears of it before a step can take it. lost is the arrival of
// what had to make room.
func (in *inputs) add(now rec.Time, events []string, arrived func(rec.Time)) (lost []rec.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.last = max(now, in.last+1)
	arrived(in.last)
	if len(in.pending) == maxPending {
		lost = append(lost, in.pending[0].At)
		in.pending = in.pending[1:]
	}
	in.pending = append(in.pending, Batch{in.last, append([]string(nil), events...)})
	in.events += len(events)
	return lost
}

func (in *inputs) take() []Batch {
	in.mu.Lock()
	defer in.mu.Unlock()
	b := in.pending
	in.pending = nil
	return b
}

func (in *inputs) total() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.events
}
