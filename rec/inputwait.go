package rec

import "context"

// InputReceived begins an input.wait range for the batch, at its arrival.
func (r *Recorder) InputReceived(received Time, count int) {
	if r.on() != nil {
		r.waits.received(received, count, func() Range { return r.asyncAt(waitName, received) })
	}
}

// InputConsumed keeps the waits of a step until its first frame.
func (r *Recorder) InputConsumed(step StepID, received []Time, _ Time) {
	if r.on() != nil {
		r.waits.consumed(step, received)
	}
}

// InputDropped ends waits whose frame will never come.
func (r *Recorder) InputDropped(received []Time) {
	if r.on() != nil {
		r.waits.dropped(received)
	}
}

// StepPresented ends the waits of the step and of the earlier ones.
func (r *Recorder) StepPresented(step StepID) {
	if r.on() != nil {
		r.waits.presented(step)
	}
}

// ResetCounts ends the waits that are open.
func (r *Recorder) ResetCounts() {
	r.waits.reset()
}

// CollectStageMS returns nothing: Stats counts.
func (r *Recorder) CollectStageMS(context.Context) map[string]float64 { return nil }

// CollectFPS returns nothing: Stats counts.
func (r *Recorder) CollectFPS() map[string]float64 { return nil }

// CollectInputLatencyMS returns nothing: Stats counts.
func (r *Recorder) CollectInputLatencyMS() map[string]float64 { return nil }
