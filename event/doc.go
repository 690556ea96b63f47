// Package event is the common tongue of all producers: readers and recorders
// turn what they have into events, and the timeline is built from nothing else.
//
// It says what an event is, how many events travel together (Batch) and how a
// trace is written as text (see ParseText). It knows no file format, pairs
// nothing, attributes nothing and reads no clock.
//
// Words: an event is one thing that a producer wrote. A range is a named
// interval on one track, a mark a named instant, a counter a sampled value, an
// activity an interval of work on a device. A track is where events lie: a
// thread of a process, a stream of a device, or a logical row.
package event
