package control

import "strings"

// nearest returns the name that key may have been meant as, or "".
func nearest(key string, names []string) string {
	best, dist := "", max(2, len(key)/4)+1
	low := strings.ReplaceAll(strings.ToLower(key), "-", "_")
	for _, n := range names {
		if low == n || low != "" && strings.HasSuffix(n, "_"+low) || strings.HasPrefix(n, low+"_") {
			return n
		}
		if d := distance(low, n); d < dist {
			best, dist = n, d
		}
	}
	return best
}

// distance is the number of single-byte edits from a to b; keys beyond any
// plausible length are far from everything.
func distance(a, b string) int {
	if len(a) > 100 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// listed writes names as a sentence does.
func listed(names []string) string { return strings.Join(names, ", ") }
