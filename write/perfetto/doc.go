// Package perfetto writes a trace in Perfetto's own binary form: a stream of
// TracePacket messages with TrackEvents, as ui.perfetto.dev and trace_processor
// read it (source: protos/perfetto/trace in google/perfetto).
//
// The tracks are nested: a rank holds its requests, stages and steps as Reel found
// them, the processes with their threads, and the devices with their streams.
// Perfetto shows only slices that lie wholly inside each other on one track and
// loses the rest, so what overlaps in part is placed on further tracks beneath its
// own, "overlap 1" and so on: nothing is lost. Arrows go from each launch to its
// activities. Counters show how busy each device was and, when allocations were
// recorded, the memory that was taken.
//
// Times are absolute, nanoseconds, on one clock for all ranks. Every rank is a
// packet sequence with its own interned names.
//
// It does not write a Chrome trace, which older viewers want.
package perfetto
