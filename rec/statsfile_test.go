package rec

import (
	"math"
	"testing"
)

// TestNormalise: the end of a name tells unit and category; what is no number is left
// out.
func TestNormalise(t *testing.T) {
	for _, c := range []struct {
		name  string
		v     float64
		want  StatsSample
		taken bool
	}{
		{"diffuse_ms", 1500, StatsSample{Name: "diffuse_s", Value: 1.5, Unit: "s", Category: "timing"}, true},
		{"wall_s", 2, StatsSample{Name: "wall_s", Value: 2, Unit: "s", Category: "timing"}, true},
		{"present.frame_fps", 30, StatsSample{Name: "present.frame_fps", Value: 30, Unit: "fps", Category: "throughput"}, true},
		{"x_bytes", 7, StatsSample{Name: "x_bytes", Value: 7, Unit: "bytes", Category: "runtime"}, true},
		{"mem_peak_gib", 1, StatsSample{Name: "mem_peak_gib", Value: 1, Unit: "gib", Category: "memory"}, true},
		{"frame_count", 3, StatsSample{Name: "frame_count", Value: 3, Unit: "count", Category: "runtime"}, true},
		{"other", 3, StatsSample{Name: "other", Value: 3, Unit: "value", Category: "runtime"}, true},
		{" ", 3, StatsSample{}, false},
		{"x", math.NaN(), StatsSample{}, false},
		{"x", math.Inf(1), StatsSample{}, false},
	} {
		got, ok := normalise(c.name, c.v)
		if ok != c.taken || got.Name != c.want.Name || got.Value != c.want.Value || got.Unit != c.want.Unit || got.Category != c.want.Category {
			t.Errorf("%s: %+v %v", c.name, got, ok)
		}
	}
}
