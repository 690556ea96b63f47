// Package session runs an interactive generation: a model loop that makes chunks of
// frames, a UI loop that presents them at its own rate, and inputs that arrive at
// any time. It emits the ranges and marks that frame analyses read (model.pace,
// model.step[i], model.frame, model.publish, ui.step, present.frame, input.wait)
// and keeps the statistics of --stats-path.
//
// It knows no model and draws nothing: an App brings the step and the screen.
//
// The rules of input.wait: it begins when a batch of input arrives, and ends once.
// The step that begins next consumes the batch; a step without frames carries it
// on to the next one. The wait ends at the first frame of that step that is
// shown. A reset discards what was not shown: those waits end and are no latency.
// When a later step is shown, the waits of earlier ones end too. The end of the
// session ends them all.
package session
