package timeline

// mergeSort sorts idx by less, stably. Traces arrive as a few long sorted
// runs per track (operators, then Python calls, then runtime calls), so natural
// runs are merged: time grows with the length and the logarithm of the runs.
// Sorting by index would jump about in memory; runs read it in order.
func mergeSort(idx []uint32, less func(a, b uint32) bool) {
	var runs []int // start of each run
	for i := 0; i < len(idx); {
		runs = append(runs, i)
		for i++; i < len(idx) && !less(idx[i], idx[i-1]); i++ {
		}
	}
	if len(runs) < 2 {
		return
	}
	tmp := make([]uint32, len(idx))
	for src, dst := idx, tmp; len(runs) > 1; src, dst = dst, src {
		runs = mergePass(src, dst, runs, less)
		if len(runs) == 1 && &dst[0] != &idx[0] {
			copy(idx, dst)
		}
	}
}

// mergePass merges neighbouring runs of src into dst and returns the new runs.
func mergePass(src, dst []uint32, runs []int, less func(a, b uint32) bool) []int {
	out := runs[:0:0]
	for i := 0; i < len(runs); i += 2 {
		lo, mid, hi := runs[i], len(src), len(src)
		if i+1 < len(runs) {
			mid = runs[i+1]
		}
		if i+2 < len(runs) {
			hi = runs[i+2]
		}
		out = append(out, lo)
		merge(dst[lo:hi], src[lo:mid], src[mid:hi], less)
	}
	return out
}

func merge(dst, a, b []uint32, less func(a, b uint32) bool) {
	k := 0
	for len(a) > 0 && len(b) > 0 {
		if less(b[0], a[0]) {
			dst[k], b = b[0], b[1:]
		} else {
			dst[k], a = a[0], a[1:]
		}
		k++
	}
	k += copy(dst[k:], a)
	copy(dst[k:], b)
}
