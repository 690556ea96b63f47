package event

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
)

func TestStrings(t *testing.T) {
	var s Strings
	if id, ok := s.Find("x"); ok || id != 0 {
		t.Error("the zero table must be empty")
	}
	for round := range 2 {
		for i := range 5000 {
			v := fmt.Sprint("name ", i)
			id := s.Add(v)
			if int(id) != i+1 || s.Add(v) != id || s.Get(id) != v {
				t.Fatalf("round %d: string %d is %d %q", round, i, id, s.Get(id))
			}
		}
		if id, ok := s.Find("name 77"); !ok || id != 78 {
			t.Errorf("Find gives %d, %v", id, ok)
		}
		if id, ok := s.Find(""); !ok || id != 0 || s.Add("") != 0 || s.Get(0) != "" || s.Get(9999) != "" {
			t.Error(`"" must be 0, and what is not there ""`)
		}
		if s.Len() != 5001 {
			t.Errorf("Len is %d", s.Len())
		}
		s.Reset()
		if _, ok := s.Find("name 77"); ok || s.Len() != 1 || s.Size() != 0 {
			t.Error("Reset must empty the table")
		}
	}
}

func TestStringsAllocateNothingWhenKnown(t *testing.T) {
	var s Strings
	b := []byte("aten::_scaled_dot_product_flash_attention")
	s.AddBytes(b)
	if n := testing.AllocsPerRun(100, func() { s.AddBytes(b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBatchKeepsEvents(t *testing.T) {
	events, _ := parse(t, sampleText)
	var b Batch
	for range 2 {
		b.Reset()
		for _, e := range events {
			b.Add(e)
		}
		for i, e := range events {
			if got := b.Event(i); !reflect.DeepEqual(got, e) {
				t.Fatalf("event %d:\n had %+v\n got %+v", i, e, got)
			}
		}
	}
}

func TestWarnings(t *testing.T) {
	var ws Warnings
	ws.Add(Warning{Code: "a", Text: "dur is negative", Event: 9})
	ws.Add(Warning{Code: "b", Text: "no events", Event: -1})
	ws.Add(Warning{Code: "a", Text: "dur is negative", Event: 4711, Count: 2})
	ws.Add(Warning{Code: "a", Text: "dur is negative", Event: 3})
	got := fmt.Sprint(ws.List())
	if want := "[event 3: dur is negative (4 times) no events]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

type failing struct{ n int }

func (f *failing) Next(b *Batch) error {
	b.Reset()
	b.Add(Event{Kind: Mark, Name: "m"})
	if f.n--; f.n == 0 {
		return errors.New("torn")
	}
	return nil
}

func TestAllGivesTheErrorLast(t *testing.T) {
	n := 0
	var last error
	for _, err := range All(&failing{3}) {
		if last = err; err == nil {
			n++
		}
	}
	if n != 3 || last == nil || last.Error() != "torn" {
		t.Errorf("%d events, error %v", n, last)
	}
	for range All(&failing{3}) {
		break // must not go on
	}
	if !isEOF(fmt.Errorf("wrapped: %w", io.EOF)) {
		t.Error("a wrapped EOF is an EOF")
	}
}
