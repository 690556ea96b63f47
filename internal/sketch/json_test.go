package sketch

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for n := range 100 {
		s := of(values(rnd, n)...)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back Sketch
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(&back, s) {
			t.Fatalf("%s came back as %+v", text, back)
		}
	}
}

func TestForm(t *testing.T) {
	for _, c := range []struct {
		s    *Sketch
		want string
	}{
		{of(), `{"bits":8,"count":0,"sum":0}`},
		{of(0, 511, 512, 513, 0), `{"bits":8,"count":5,"sum":1536,"min":0,"max":513,"buckets":[0,2,511,1,512,2]}`},
	} {
		if got, _ := json.Marshal(c.s); string(got) != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                     "cannot unmarshal",
		`{"bits":8,"other":1}`:   "unknown field",
		`{"bits":7,"count":0}`:   "resolution",
		`{"bits":8,"count":1e3}`: "cannot unmarshal",
		`{"bits":8,"count":1,"sum":5,"buckets":[5,1]}`:                            "extremes",
		`{"bits":8,"count":0,"sum":5}`:                                            "no values",
		`{"bits":8,"count":-1,"sum":0}`:                                           "hold 0",
		`{"bits":8,"count":2,"sum":5,"min":5,"max":5,"buckets":[5,1]}`:            "hold 1",
		`{"bits":8,"count":1,"sum":9,"min":5,"max":5,"buckets":[5,1]}`:            "sum 9",
		`{"bits":8,"count":1,"sum":5,"min":4,"max":5,"buckets":[5,1]}`:            "extremes",
		`{"bits":8,"count":1,"sum":5,"min":6,"max":5,"buckets":[5,1]}`:            "smallest",
		`{"bits":8,"count":1,"sum":5,"min":5,"max":5,"buckets":[5]}`:              "pairs",
		`{"bits":8,"count":0,"sum":0,"min":5,"max":5,"buckets":[5,-1]}`:           "more than 0",
		`{"bits":8,"count":2,"sum":9,"min":4,"max":5,"buckets":[5,1,4,1]}`:        "ascend",
		`{"bits":8,"count":1,"sum":5,"min":5,"max":5,"buckets":[14336,1]}`:        "below",
		`{"bits":8,"buckets":[` + strings.Repeat("1,", 2*MaxBuckets) + `1]}`:      "at most",
		`{"bits":8,"count":1,"sum":5,"min":5,"max":5,"buckets":{"5":1}}`:          "cannot unmarshal",
		`{"bits":8,"count":1,"sum":99999999999999999999,"min":5,"max":5}`:         "cannot unmarshal",
		`{"bits":8,"count":1,"sum":5,"min":5,"max":5,"buckets":[5,1,[[[[]]]],1]}`: "cannot unmarshal",
	} {
		err := json.Unmarshal([]byte(text), &Sketch{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
}

// FuzzDecode: what is taken is a sketch like any other.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"bits":8,"count":0,"sum":0}`))
	f.Add([]byte(`{"bits":8,"count":5,"sum":1536,"min":0,"max":513,"buckets":[0,2,511,1,512,2]}`))
	f.Add([]byte(`{"bits":8,"count":2,"sum":9223372036854775807,"min":0,"max":9223372036854775807,"buckets":[0,1,14335,1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Sketch
		if json.Unmarshal(data, &s) != nil {
			return
		}
		text, err := json.Marshal(&s)
		if err != nil {
			t.Fatal(err)
		}
		var back Sketch
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("%s came back as %+v, %v", text, back, err)
		}
		twice := s.Clone()
		twice.Merge(&s)
		if text, _ = json.Marshal(twice); json.Unmarshal(text, &back) != nil {
			t.Fatalf("%s is refused", text)
		}
		a, _ := s.Min()
		b, _ := s.Quantile(50)
		c, _ := s.Max()
		if a > b || b > c || bytes.Contains(text, []byte("-")) {
			t.Fatalf("%d, %d, %d: %s", a, b, c, text)
		}
	})
}
