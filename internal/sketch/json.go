package sketch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// form is the JSON of a sketch. Buckets are index, count, index, count, … by
// ascending index; a sketch without values has neither extremes nor buckets.
type form struct {
	Bits    int             `json:"bits"`
	Count   int64           `json:"count"`
	Sum     int64           `json:"sum"`
	Min     *int64          `json:"min,omitempty"`
	Max     *int64          `json:"max,omitempty"`
	Buckets json.RawMessage `json:"buckets,omitempty"`
}

// MarshalJSON writes the sketch; equal sketches give equal bytes.
func (s *Sketch) MarshalJSON() ([]byte, error) {
	f := form{Bits: Bits, Count: s.count, Sum: s.sum}
	if s.count > 0 {
		f.Min, f.Max = &s.min, &s.max
		list := []byte{'['}
		for i, b := range s.buckets {
			if i > 0 {
				list = append(list, ',')
			}
			list = strconv.AppendInt(list, int64(b.index), 10)
			list = strconv.AppendInt(append(list, ','), b.n, 10)
		}
		f.Buckets = append(list, ']')
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON writes. What no sketch could have
// written is an error: another resolution, counts that do not add up, extremes
// outside their buckets. Its memory is bounded by MaxBuckets.
func (s *Sketch) UnmarshalJSON(data []byte) error {
	var f form
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return fmt.Errorf("sketch: %w", err)
	}
	if f.Bits != Bits {
		return fmt.Errorf("sketch: resolution of %d bits, want %d", f.Bits, Bits)
	}
	list, err := parseBuckets(f.Buckets)
	if err != nil {
		return fmt.Errorf("sketch: %w", err)
	}
	got := Sketch{count: f.Count, sum: f.Sum, buckets: list}
	if (f.Min != nil) != (f.Count > 0) || (f.Max != nil) != (f.Count > 0) {
		return errors.New("sketch: extremes belong to a sketch with values, and to no other")
	}
	if f.Count > 0 {
		got.min, got.max = *f.Min, *f.Max
	}
	if err := got.check(); err != nil {
		return fmt.Errorf("sketch: %w", err)
	}
	*s = got
	return nil
}

func parseBuckets(raw json.RawMessage) ([]bucket, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if n := bytes.Count(raw, []byte{','}) + 1; n > 2*MaxBuckets {
		return nil, fmt.Errorf("%d numbers of buckets, at most %d can be", n, 2*MaxBuckets)
	}
	var flat []int64
	if err := json.Unmarshal(raw, &flat); err != nil {
		return nil, err
	}
	if len(flat)%2 != 0 || len(flat) == 0 {
		return nil, fmt.Errorf("%d numbers of buckets, want pairs", len(flat))
	}
	list := make([]bucket, 0, len(flat)/2)
	last := int64(-1)
	for i := 0; i < len(flat); i += 2 {
		if flat[i] <= last || flat[i] >= int64(MaxBuckets) {
			return nil, fmt.Errorf("bucket %d: indices ascend, below %d", flat[i], MaxBuckets)
		}
		if flat[i+1] <= 0 {
			return nil, fmt.Errorf("bucket %d: count %d, want more than 0", flat[i], flat[i+1])
		}
		last = flat[i]
		list = append(list, bucket{int32(last), flat[i+1]})
	}
	return list, nil
}

// check says why no values could have made s.
func (s *Sketch) check() error {
	if s.count == 0 {
		if s.sum != 0 || len(s.buckets) > 0 {
			return errors.New("no values, but a sum or buckets")
		}
		return nil
	}
	var n, least, most int64
	for _, b := range s.buckets {
		lo, hi := boundsOf(b.index)
		n, least, most = Plus(n, b.n), Plus(least, times(lo, b.n)), Plus(most, times(hi, b.n))
	}
	switch {
	case n != s.count:
		return fmt.Errorf("count %d, but the buckets hold %d", s.count, n)
	case s.sum < least || s.sum > most:
		return fmt.Errorf("sum %d, but the buckets give %d to %d", s.sum, least, most)
	case s.min < 0 || s.min > s.max:
		return fmt.Errorf("smallest value %d, largest %d", s.min, s.max)
	case indexOf(s.min) != s.buckets[0].index || indexOf(s.max) != s.buckets[len(s.buckets)-1].index:
		return errors.New("the extremes lie outside the first and last bucket")
	}
	return nil
}

// times multiplies what is not negative, and stays at the largest int64.
func times(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}
