//go:build amd64 && !race

package reelfile

// storeRelease publishes: no store before it, in program order, becomes visible
// after it. On amd64 every store of the machine is such a store, and the Go
// compiler keeps stores in their order; sync/atomic would add a full barrier
// (XCHG, some 20 cycles), which only a reader in the same process could need.
func storeRelease(p *uint64, v uint64) { *p = v }
