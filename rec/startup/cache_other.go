//go:build !linux

package startup

import "errors"

var errNoCache = errors.New("the page cache can be looked at on Linux alone")

// Resident returns the share of a file that is in the page cache.
func Resident(string) (float64, error) { return 0, errNoCache }

// Evict asks the system to drop a file from the page cache.
func Evict(string) error { return errNoCache }
