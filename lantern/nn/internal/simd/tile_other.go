//go:build !amd64 || purego

package simd

func (t Tile) mul(k int, a, b *float32, ldb int, c *float32, ldc int, add bool) {
	scalarTile(k, a, b, ldb, nil, c, ldc, add)
}

func (t Tile) mulAt(offs []int32, a, b, c *float32, ldc int, add bool) {
	scalarTile(len(offs), a, b, 0, offs, c, ldc, add)
}

func packed8([]float32, int, []float32, int, int, int) int { return 0 }
