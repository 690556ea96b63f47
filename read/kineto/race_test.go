//go:build race

package kineto

func init() { raceEnabled = true }
