//go:build !amd64

package safetensors

// widen leaves all halves to the caller.
func widen([]float32, []byte) (n int, finite bool) { return 0, true }
