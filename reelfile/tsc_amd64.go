package reelfile

import (
	"bytes"
	"os"
)

// readTSC reads the processor's time-stamp counter.
//
//go:noescape
func readTSC() uint64

// invariantTSC asks the processor whether its counter keeps one rate.
//
//go:noescape
func invariantTSC() bool

// usableTSC reports whether the counter can be a clock: one rate in every power
// state, and, where the kernel tells, not found to differ between processors.
func usableTSC() bool {
	if !invariantTSC() {
		return false
	}
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return true // another system, or none that tells
	}
	switch string(bytes.TrimSpace(source)) {
	case "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen":
		return true
	}
	return false
}
