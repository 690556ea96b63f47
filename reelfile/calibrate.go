package reelfile

import "math/bits"

// instant is one instant on the counter and on the monotonic clock. The counter was
// between ticks-width/2 and ticks+width/2 when the clock was read.
type instant struct {
	ticks, width uint64
	mono         int64
}

// tight is a width that says that nothing came in between: about a microsecond.
const tight = 3000

// readInstant reads the two clocks several times and keeps the reading that the
// least came in between of: a program may be stopped at any point.
func readInstant() instant {
	best := instant{width: ^uint64(0)}
	for range 4 * sampleTries {
		t0 := readTSC()
		mono := monotonic()
		if w := readTSC() - t0; w < best.width {
			best = instant{t0 + w/2, w, mono}
		}
		if best.width < tight {
			break
		}
	}
	return best
}

// Bounds of the calibration.
const (
	firstRound  = 2e6  // ns
	maxRounds   = 4    // each twice as long as the one before
	goodEnough  = 2e-4 // of the rate
	maxSpinning = 1 << 24
)

// measureTSC counts ticks against the monotonic clock and returns the ticks per
// second, 0 when time stands still. It goes on, for longer each time, until the
// readings at both ends were tight enough for the rate to be good.
func measureTSC() (hz uint64) {
	bestError := 1.0
	for round := range maxRounds {
		from := readInstant()
		ns := int64(firstRound) << round
		for range maxSpinning {
			if monotonic()-from.mono >= ns {
				break
			}
		}
		to := readInstant()
		rate, uncertain := rateOf(from, to)
		if rate != 0 && uncertain < bestError {
			hz, bestError = rate, uncertain
		}
		if bestError < goodEnough {
			break
		}
	}
	return hz
}

// rateOf returns the rate between two instants and by what share it may be wrong; 0
// when there is none.
func rateOf(from, to instant) (hz uint64, uncertain float64) {
	if to.mono <= from.mono || to.ticks <= from.ticks {
		return 0, 1
	}
	ticks := to.ticks - from.ticks
	hi, lo := bits.Mul64(ticks, 1e9)
	if hi >= uint64(to.mono-from.mono) {
		return 0, 1
	}
	hz, _ = bits.Div64(hi, lo, uint64(to.mono-from.mono))
	return hz, float64(from.width/2+to.width/2) / float64(ticks)
}
