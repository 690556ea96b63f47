// Package chrome writes timelines as Chrome trace JSON, in the form that
// PyTorch's Kineto gives it: for ui.perfetto.dev, chrome://tracing and every tool
// that reads PyTorch's traces, Reel among them.
//
// Write makes a trace of any timelines. Copy makes one of Chrome traces: it copies
// the events' bytes, so that nothing is lost that Reel does not know, and adds
// what Reel found. Both draw requests, stages and steps as tracks of their own, in a
// process "Reel", and place activities that overlap in part on a sub-track,
// because viewers drop them.
//
// Several ranks become one trace on one clock. Process ids are then distinct by
// rank: that of rank R is R*10,000,000 plus the source's, so that pid 30005617 is
// process 5617 of rank 3, and 30000002 its device 2. The same goes for the ids that link
// events (flows, correlations, External ids), 10,000,000,000 apart. Reel reads such a trace
// as one source: devices and threads stay apart, steps of all ranks stand in one list by
// their start. Numbers per rank are those of the single files.
//
// It compresses nothing and makes no files.
package chrome

import (
	"reel/analyze"
	"reel/timeline"
)

// Options says how to write a trace.
type Options struct {
	// Cut is what to copy of each rank, in their order; nil is everything. It is
	// for Copy: give Write timelines that are cut.
	Cut []timeline.Selection
	// CutName says what the cut is of, for people: "step 2".
	CutName string
	// Roles is the rule table that the ranks' meaning was derived with. With it
	// Reel's tracks carry device times, and the steps and stages of a cut are marked
	// where they could not be recognised again.
	Roles *analyze.Roles
	// Args are the arguments of host ranges that Write writes, as far as timelines
	// keep them; nil is analyze.OpsArgs.
	Args []string
	// Plain leaves Reel's own tracks out.
	Plain bool
	// Workers is how many goroutines Copy reads with; 0 is one per processor.
	Workers int
}

// Stats says what was written.
type Stats struct {
	Events int64    // written in all
	Copied int64    // of these, events of the sources
	Moved  int64    // activities placed on sub-tracks
	Mended int64    // events that were no valid JSON, written anew
	Lost   int64    // events that were not readable
	Cut    int64    // events that the cut leaves out
	Notes  []string // for people: what could not be done
}
