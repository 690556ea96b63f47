//go:build !race

package rec

const raceEnabled = false
