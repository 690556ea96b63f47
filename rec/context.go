package rec

import (
	"context"
	"sync/atomic"

	"reel/reelfile"
)

// Track is where ranges lie: one for each goroutine that works on its own, since
// ranges of a track must nest. It outlives recordings, and profilers share it.
type Track struct {
	name string
	id   int64
	cur  atomic.Pointer[handle]
}

// handle is a track in a recording.
type handle struct {
	s *sink
	t *reelfile.Track
}

// trackIDs numbers the tracks of the process; 1 is the main one.
var trackIDs atomic.Int64

// mainTrack is the id of the track of contexts that have none.
const mainTrack = 1

// NewTrack makes a track with a name for people.
func NewTrack(name string) *Track {
	return &Track{name: name, id: trackIDs.Add(1) + mainTrack}
}

// Name returns the track's name.
func (t *Track) Name() string { return t.name }

// binding is a context that carries what rec needs, found in one look.
type binding struct {
	context.Context
	track   *Track
	stages  *StageScope
	worker  *Worker
	request *request
}

type bindingKey struct{}

// Value returns the binding itself for rec's key.
func (b *binding) Value(key any) any {
	if _, ok := key.(bindingKey); ok {
		return b
	}
	return b.Context.Value(key)
}

// bound returns the innermost binding of ctx, nil when there is none.
func bound(ctx context.Context) *binding {
	if b, ok := ctx.(*binding); ok {
		return b
	}
	if ctx == nil {
		return nil
	}
	b, _ := ctx.Value(bindingKey{}).(*binding)
	return b
}

// unbound is the binding of contexts that have none.
var unbound = &binding{Context: context.Background()}

// lookup is bound with unbound for none.
func lookup(ctx context.Context) *binding {
	if b := bound(ctx); b != nil {
		return b
	}
	return unbound
}

// rebind returns a binding over ctx that begins as a copy of the present one.
func rebind(ctx context.Context) *binding {
	b := &binding{Context: ctx}
	if old := bound(ctx); old != nil {
		b.track, b.stages, b.worker, b.request = old.track, old.stages, old.worker, old.request
	}
	return b
}

// OnTrack returns a context whose ranges lie on t. A goroutine that is started
// with a context of another takes a track of its own this way.
func OnTrack(ctx context.Context, t *Track) context.Context {
	b := rebind(ctx)
	b.track = t
	return b
}

// TrackOf returns the track of ctx; nil stands for the main track.
func TrackOf(ctx context.Context) *Track {
	if b := bound(ctx); b != nil {
		return b.track
	}
	return nil
}

// With returns a context whose profiler is w: From and Steps find it there.
func With(ctx context.Context, w *Worker) context.Context {
	b := rebind(ctx)
	b.worker = w
	return b
}

// From returns the worker of ctx, or the one that the environment asks for.
func From(ctx context.Context) *Worker {
	if b := bound(ctx); b != nil && b.worker != nil {
		return b.worker
	}
	return Default()
}

// StageScope keeps stage timings apart: those of a pipeline that runs inside
// another do not mix with the other's. A pipeline makes one and runs in it.
type StageScope struct {
	timers timerTable
}

// InStages returns a context whose stages are filed under s.
func InStages(ctx context.Context, s *StageScope) context.Context {
	b := rebind(ctx)
	b.stages = s
	return b
}

// StagesOf returns the stage scope of ctx, nil when there is none.
func StagesOf(ctx context.Context) *StageScope {
	if b := bound(ctx); b != nil {
		return b.stages
	}
	return nil
}
