// Package analyze draws conclusions from a timeline: what stages and steps a
// run had, where the device waited, what each operator cost. Analyses are pure
// functions from a timeline to a report, one file (or family of files) each:
// they read no clock, no file and no file format, and equal timelines give equal
// reports.
//
// A report holds base units (nanoseconds, bytes) and carries the JSON form that
// the command line promises. What a trace does not tell is absent from it, never
// zero; what makes a number doubtful stands in its notes.
//
// Words: attribution goes from a device activity to its launch and from there to
// the innermost range around it. A stage is a named part of a request, a step one
// iteration of a denoise loop. A call is an entry of a call stack, never a "frame",
// which is a picture shown to a person.
package analyze
