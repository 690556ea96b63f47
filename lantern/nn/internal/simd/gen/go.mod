// The generator of the assembly is a module of its own, so that what it needs is no
// concern of Reel's.
module reel/lantern/nn/internal/simd/gen

go 1.26.0

require github.com/mmcloughlin/avo v0.5.0

require (
	golang.org/x/mod v0.43.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
