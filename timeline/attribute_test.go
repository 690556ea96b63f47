package timeline

import "testing"

// TestIDMapSpreads puts ids that differ in their high bits alone, as handles do: they
// must not share one slot, which would make the map a list.
func TestIDMapSpreads(t *testing.T) {
	for _, shift := range []int{0, 20, 40, 48} {
		m := newIDMap(1 << 14)
		far := 0
		for i := range int64(1 << 14) {
			id := (i + 1) << shift
			m.put(id, RangeID(i))
			for k := uint64(id) * 0x9E3779B97F4A7C15 >> m.shift; m.key[k] != id; k = (k + 1) & m.mask {
				far++
			}
		}
		if far > 1<<15 {
			t.Errorf("ids << %d: %d slots passed", shift, far)
		}
		for i := range int64(1 << 14) {
			if r, ok := m.get((i + 1) << shift); !ok || r != RangeID(i) {
				t.Fatalf("id %d << %d: %d, %v", i+1, shift, r, ok)
			}
		}
	}
}
