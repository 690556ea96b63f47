// Package reel is a profiler for diffusion and video-generation pipelines: one
// program that opens what a generation did and says where its time went. This
// package holds the words that the whole project uses; the program is cmd/reel.
//
// # Words
//
// Each word has one meaning, here, in the code and in the documentation.
//
//   - event: one thing that a producer wrote: a range, a mark, a counter sample,
//     a device activity, a link.
//   - range: a named interval on one track.
//   - mark: a named instant.
//   - track: where events lie: a thread of a process, a stream of a device, or a
//     logical row (model, UI).
//   - activity: an interval of work on a device (kernel, copy, set, graph launch).
//   - launch: the CPU call that caused an activity.
//   - attribution: the way from an activity to its launch, and from there to the
//     innermost range on that thread.
//   - request: one generation.
//   - loop: one denoise loop within a request; a pipeline may have several.
//   - step: one iteration of a loop.
//   - stage: a named part of a request: encode, diffuse, decode, finalize, …
//   - phase: a named part of a program's start-up, and of nothing else.
//   - frame: a picture shown to a person.
//   - call: an entry of a call stack.
//   - role: what a range is (request, loop, step, stage, forward, scheduler,
//     frame, warm-up), set by producers or by the rule table, so that no analysis
//     matches names.
//   - evidence: how a request, stage or step was recognised.
//   - rank: the global index of a process in a distributed job.
//   - window: a stretch of a request in which recording is on; schedule: which
//     iterations open it.
//   - session: one capture from start to stop.
//   - run: the folder that one session, or launched command, leaves.
//   - timeline: the immutable, indexed form of all events of a run.
//   - finding: a fault that an analysis names, with its evidence, its cost and a
//     remedy.
//
// Times are integer nanoseconds. What is absent is absent: a real zero is never
// "unset".
//
// # The way of the data
//
//	producer ──► event stream ──► timeline ──► analysis ──► table, report ──► text, JSON, CSV, Markdown
//	(file)       read/*           timeline     analyze      table             render/*, internal/report
//
// It runs one way: readers know no analysis, analyses know no file format and no
// clock, renderers know no domain. internal/floors/floors.txt lists who may import
// whom.
package reel
