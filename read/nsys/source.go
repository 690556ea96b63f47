package nsys

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"reel/event"
	"reel/internal/sqlite"
)

// Source is a rank of an open export. It is used by one goroutine.
type Source struct {
	name string
	file *os.File // to be closed; nil when the caller's
	r    io.ReaderAt
	size int64
	opt  Options
	who  Rank

	ctx    context.Context
	cancel context.CancelFunc
	x      *header
	tasks  []*task
	next   int // of tasks
	work   chan *task
	free   chan *event.Batch
	wait   sync.WaitGroup

	done  error
	ended bool
	rows  map[string]int64 // that were of this rank, by table
	lost  int64
	found map[event.Track]bool // threads that had events
	named sync.Map             // of threads, by NVTX: event.Track to string
	info  event.Info
	warn  event.Warnings
}

// header is what workers and the end need of an export that is no longer open.
type header struct {
	name    string
	tables  map[string]columns
	texts   *texts
	about   *about
	missing int64
	claimed int64
	selects func(table string, cols []string, rest string) string
	has     func(table string, cols ...string) bool

	once    sync.Once // reads domains
	domains map[domain]string
}

// damaged lets damage, lack of memory and values without measure pass: they are counted,
// not an error.
func damaged(err error) error {
	if errors.Is(err, sqlite.ErrCorrupt) || errors.Is(err, sqlite.ErrMemory) || errors.Is(err, sqlite.ErrLong) {
		return nil
	}
	return err
}

// begin reads what stands about the session, plans the tasks and starts the workers.
func (s *Source) begin(ctx context.Context, x *export) error {
	s.x = &header{name: x.name, tables: x.tables, texts: x.texts, about: x.readAbout(), selects: x.selects, has: x.has}
	s.x.missing, s.x.claimed = x.db.Missing()
	s.rows, s.found = map[string]int64{}, map[event.Track]bool{}
	s.tasks = s.plan(x)
	s.tell()
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.work = make(chan *task, len(s.tasks))
	for _, t := range s.tasks {
		s.work <- t
	}
	close(s.work)
	n := min(s.opt.Workers, len(s.tasks))
	s.free = make(chan *event.Batch, (n+1)*(batchesAhead+2))
	for range n {
		s.wait.Go(s.worker)
	}
	return nil
}

// Next fills b with the events of the next rows.
func (s *Source) Next(b *event.Batch) error {
	b.Reset()
	for s.done == nil {
		got, err := s.take()
		if err != nil {
			s.done = err
			break
		}
		if got == nil {
			s.end(b)
			if b.Len() > 0 {
				return nil
			}
			break
		}
		s.note(got)
		*b, *got = *got, *b
		select {
		case s.free <- got:
		default:
		}
		if b.Len() > 0 || len(b.Warnings) > 0 {
			return nil
		}
	}
	return s.done
}

// take waits for the next batch of the tasks, in their order; nil is their end.
func (s *Source) take() (*event.Batch, error) {
	for s.next < len(s.tasks) {
		t := s.tasks[s.next]
		select {
		case b, ok := <-t.out:
			if ok {
				return b, nil
			}
		case <-s.ctx.Done():
			return nil, s.ctxErr()
		}
		if err := s.account(t); err != nil {
			return nil, err
		}
		s.next++
	}
	return nil, s.ctx.Err()
}

func (s *Source) ctxErr() error {
	if s.ended {
		return errors.New("nsys: read after close")
	}
	return s.ctx.Err()
}

// note remembers the threads of a batch.
func (s *Source) note(b *event.Batch) {
	for _, t := range b.Tracks {
		if t.Place == event.Thread {
			s.found[t] = true
		}
	}
}

// Info returns what the file says of itself, and after the last event what the reading
// found.
func (s *Source) Info() event.Info { return s.info }

// Rank tells which rank of the file it is.
func (s *Source) Rank() Rank { return s.who }

// Close stops the workers and closes the file. It may be called twice.
func (s *Source) Close() error {
	s.ended = true
	s.cancel()
	s.wait.Wait()
	if s.done == nil {
		s.done = errors.New("nsys: read after close")
	}
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}
