package timeline

import "testing"

// TestIDMapSpreads puts ids that differ in their high bits alone, as handles do: they
// must not share one slot, which would make the map a list.
func TestIDMapSpreads(t *testing.T) {
	for _, shift := range []int{3, 20, 40, 48} {
		m := newIDMap(idRange{1 << 14, 1 << shift, 1 << (14 + shift)})
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

// TestIDMapByID: ids that are counted up need no keys; wherever they lie, what is not
// among them is not found.
func TestIDMapByID(t *testing.T) {
	for _, ids := range [][]int64{{}, {7}, {1, 2, 3}, {-2, -1, 1, 2}, {1 << 62, 1<<62 + 1}, {-1 << 63, 1<<63 - 1}, {5, 5, 1 << 40}} {
		var r idRange
		for _, id := range ids {
			r.add(id)
		}
		r.add(0)
		m := newIDMap(r)
		for i, id := range ids {
			m.put(id, RangeID(i))
		}
		m.put(0, 99)
		first := map[int64]RangeID{}
		for i, id := range ids {
			if _, ok := first[id]; !ok {
				first[id] = RangeID(i)
			}
		}
		for _, id := range []int64{-1 << 63, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 1 << 40, 1 << 62, 1<<62 + 1, 1<<62 + 2, 1<<63 - 1} {
			want, there := first[id]
			if got, ok := m.get(id); ok != there || ok && got != want {
				t.Errorf("ids %v: %d is %d, %v; want %d, %v", ids, id, got, ok, want, there)
			}
		}
	}
}
