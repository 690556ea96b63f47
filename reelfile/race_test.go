//go:build race

package reelfile

const raceEnabled = true
