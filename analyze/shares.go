package analyze

import (
	"reel/timeline"
)

// share is the device work that one stage or step launched.
type share struct {
	place    int32
	class    [numKernelClasses]int64 // sums of durations, ns
	busy     union
	first    int64
	last     int64
	count    int
	launches int
}

func (s *share) add(start, end int64) {
	if s.count == 0 {
		s.first, s.last = start, end
	}
	s.last = max(s.last, end)
	s.busy.add(start, end)
	s.count++
}

// span is the time from the first start to the last end, ns.
func (s *share) span() int64 { return s.last - s.first }

// shares divides the device's work among stages and steps by its launches.
type shares struct {
	stage, step []share
	outside     share
	place       []int32 // of each activity of work: 0 outside, i+1 stage i, -(i+1) step i
}

// piece is a stage or step on its track.
type piece struct {
	start, end int64
	to         *share
}

// newShares gives every activity to the stage or step that holds its launch on
// the launch's own thread, or, without a launch, its operator.
func newShares(tl *timeline.Timeline, d *Derived, work []int32, k *kernels) *shares {
	s := newPieces(d)
	s.place = make([]int32, len(work))
	tracks := s.pieces(tl, d)
	seen := make([]uint64, len(tl.Ranges.Start)/64+1)
	a := &tl.Activities
	for w, i := range work {
		to := &s.outside
		if d.stepOf != nil && d.stepOf[i] > 0 {
			to = &s.step[d.stepOf[i]-1]
		}
		cause := a.Launch[i]
		if cause == timeline.NoRange {
			cause = a.Owner[i]
		}
		if cause != timeline.NoRange {
			if p := pieceAt(tracks[tl.RangeTrack(cause)], tl.Ranges.Start[cause]); p != nil && to == &s.outside {
				to = p.to
			}
			if w, bit := &seen[cause/64], uint64(1)<<(cause%64); *w&bit == 0 && a.Launch[i] != timeline.NoRange {
				*w |= bit
				to.launches++
			}
		}
		to.add(a.Start[i], a.End(int(i)))
		to.class[k.of(i).class] += a.Dur[i]
		s.place[w] = to.place
	}
	return s
}

// newPieces are shares of nothing yet.
func newPieces(d *Derived) *shares {
	s := &shares{stage: make([]share, len(d.Stages)), step: make([]share, len(d.Steps))}
	for i := range s.stage {
		s.stage[i].place = int32(i + 1)
	}
	for i := range s.step {
		s.step[i].place = -int32(i + 1)
	}
	return s
}

// pieces lists stages and steps per track by start.
func (s *shares) pieces(tl *timeline.Timeline, d *Derived) [][]piece {
	tracks := make([][]piece, len(tl.Tracks))
	i, j := 0, 0
	for i < len(d.Stages) || j < len(d.Steps) {
		if j == len(d.Steps) || i < len(d.Stages) && d.Stages[i].Start <= d.Steps[j].Start {
			x := &d.Stages[i]
			tracks[x.Track] = append(tracks[x.Track], piece{x.Start, x.End, &s.stage[i]})
			i++
			continue
		}
		x := &d.Steps[j]
		if x.Track == timeline.NoTrack {
			j++
			continue
		}
		tracks[x.Track] = append(tracks[x.Track], piece{x.Start, x.End, &s.step[j]})
		j++
	}
	return tracks
}

// pieceAt returns the piece that holds t, the innermost of overlapping ones.
func pieceAt(pieces []piece, t int64) *piece {
	lo, hi := 0, len(pieces)
	for lo < hi {
		if m := (lo + hi) / 2; pieces[m].start <= t {
			lo = m + 1
		} else {
			hi = m
		}
	}
	for i, n := lo-1, 0; i >= 0 && n < lookBack; i, n = i-1, n+1 {
		if t < pieces[i].end {
			return &pieces[i]
		}
	}
	return nil
}
