package simd

// Level says which instructions are used.
type Level int

// The levels.
const (
	Scalar Level = iota // Go
	AVX2                // AVX2 and FMA
	AVX512              // AVX-512 F, for matrix products
)

// String returns the name.
func (l Level) String() string { return [...]string{"scalar", "avx2", "avx512"}[l] }

// level is that of this machine.
var level = detect()

// Best returns the level of this machine.
func Best() Level { return level }
