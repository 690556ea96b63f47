package stats

import (
	"math"
	"slices"
	"testing"
)

func TestPercentiles(t *testing.T) {
	ten := []int64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}
	for _, c := range []struct {
		xs      []int64
		p       float64
		nearest int64
		linear  float64
	}{
		{ten, 0, 1, 1}, {ten, 10, 1, 1.9}, {ten, 50, 5, 5.5}, {ten, 99, 10, 9.91}, {ten, 100, 10, 10},
		{[]int64{7}, 50, 7, 7}, {[]int64{7}, 100, 7, 7}, {[]int64{1, 2}, 50, 1, 1.5}, {[]int64{15, 20, 35, 40, 50}, 40, 20, 29},
	} {
		if got, ok := Nearest(c.xs, c.p); !ok || got != c.nearest {
			t.Errorf("Nearest(%v, %v) = %v, want %v", c.xs, c.p, got, c.nearest)
		}
		if got, ok := Linear(c.xs, c.p); !ok || math.Abs(got-c.linear) > 1e-12 {
			t.Errorf("Linear(%v, %v) = %v, want %v", c.xs, c.p, got, c.linear)
		}
	}
	if ten[0] != 10 {
		t.Error("the input was changed")
	}
	for _, p := range []float64{-1, 101, math.NaN()} {
		_, a := Nearest(ten, p)
		_, b := Linear(ten, p)
		if a || b {
			t.Errorf("percentile %v must not exist", p)
		}
	}
}

func TestEmptyHasNoAnswer(t *testing.T) {
	var none []float64
	_, a := Median(none)
	_, b := Nearest(none, 50)
	_, c := Mean(none)
	_, d := MAD(none)
	_, e := Stddev([]float64{1})
	if a || b || c || d || e || Outliers(none, OutlierOptions{}) != nil {
		t.Error("an empty sample has no statistics")
	}
}

func TestMoments(t *testing.T) {
	xs := []int{2, 4, 4, 4, 5, 5, 7, 9}
	mean, _ := Mean(xs)
	sd, _ := Stddev(xs)
	mad, _ := MAD(xs)
	if mean != 5 || math.Abs(sd-2.138089935) > 1e-9 || mad != 0.5 {
		t.Errorf("mean %v, deviation %v, MAD %v", mean, sd, mad)
	}
	// Large, close integers keep their exact middle.
	big := []int64{1 << 50, 1<<50 + 1}
	if m, _ := Median(big); m != 1<<50+0.5 {
		t.Errorf("median %v", m)
	}
}

func TestOutliers(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		o    OutlierOptions
		want []int
	}{
		{[]float64{10, 10.1, 9.9, 10, 30}, OutlierOptions{}, []int{4}},
		{[]float64{250.1, 248.1, 248.3, 248.7}, OutlierOptions{}, []int{0}},
		{[]float64{250.1, 248.1, 248.3, 248.7}, OutlierOptions{MinShare: 0.05}, nil},
		{[]float64{5, 5, 5, 5, 5, 5, 90, 5, 5, 1}, OutlierOptions{}, []int{6}},
		{[]float64{5, 5, 5, 5}, OutlierOptions{}, nil},
		{[]float64{1, 2, 3, 4, 5, 6}, OutlierOptions{}, nil},
		{[]float64{1, 2, 3, 4, 5, 6}, OutlierOptions{K: 1}, []int{0, 5}},
		{[]float64{1, 1000}, OutlierOptions{}, nil},
	} {
		if got := Outliers(c.xs, c.o); !slices.Equal(got, c.want) {
			t.Errorf("Outliers(%v, %+v) = %v, want %v", c.xs, c.o, got, c.want)
		}
	}
}
