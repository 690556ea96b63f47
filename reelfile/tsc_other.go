//go:build !amd64

package reelfile

func readTSC() uint64 { return 0 }

func usableTSC() bool { return false }
