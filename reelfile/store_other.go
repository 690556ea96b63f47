//go:build !linux && !darwin

package reelfile

import "os"

// newStore says that files are not mapped here: chunks stay in memory until the
// recording is closed.
func newStore(*os.File, int) (store, error) { return nil, errNoMap }
