//go:build !race

package reelfile

const raceEnabled = false
