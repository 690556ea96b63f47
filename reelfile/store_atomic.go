//go:build !amd64 || race

package reelfile

import "sync/atomic"

// storeRelease publishes: no store before it becomes visible after it.
func storeRelease(p *uint64, v uint64) { atomic.StoreUint64(p, v) }
