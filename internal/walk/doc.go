// Package walk goes over a rank's timeline in the ways that several writers need:
// which range was innermost at each instant (Sweep), which activities a range
// caused (Causes), in which stage or step something happened (Parts), several
// ranks on one clock (Clock), and what tracks and calls are called.
//
// It writes nothing and draws no conclusion of its own.
package walk
