//go:build race

package chrome

func init() { raceEnabled = true }
