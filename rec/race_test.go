//go:build race

package rec

const raceEnabled = true
