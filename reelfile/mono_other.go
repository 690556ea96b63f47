//go:build !linux

package reelfile

import "time"

// began is where the monotonic clock of this process starts.
var began = time.Now()

func monotonic() int64 { return int64(time.Since(began)) }

func realtime() int64 { return time.Now().UnixNano() }
