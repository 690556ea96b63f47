// Package window decides when recording is on. It holds the grammar of windows
// (which stretches of a request), the schedule (which iterations), and the gate
// that turns a request's progress into openings and closings.
//
// It reads no clock, opens no file, knows no collector, and imports the standard
// library alone. What opens and closes is given to it as a Recorder.
package window
