// Package reelfile is Reel's own recording file, both directions: a Writer that
// a recorder builds on, and a Source that turns a file into event batches.
//
// A Writer's hot path (Begin, End, Write) takes no lock, allocates nothing and
// makes no system call; what is written survives a SIGKILL at any instant. The
// layout is docs/recording.md, which is enough to write a file without Go.
//
// It decides nothing about when to record (package window does) and names no
// ranges (package rec does).
//
// Words: a chunk is a stretch of the file that belongs to one track handle; a
// slot is the place of one record in it; a tick is the unit of the clock that
// record times are in; a sample ties ticks, monotonic and real time together.
package reelfile
