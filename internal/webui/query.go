package webui

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// query reads the parameters of a request. Faults are kept: the first is err.
type query struct {
	v   url.Values
	err error
}

// refused is an error of whoever asked.
type refused struct{ error }

func refusef(format string, args ...any) error { return refused{fmt.Errorf(format, args...)} }

func (q *query) fail(name, text, want string) {
	if q.err == nil {
		q.err = refusef("%s=%.40q: want %s", name, text, want)
	}
}

// int reads a whole number within [lo, hi]; one that is not given is def.
func (q *query) int(name string, def, lo, hi int64) int64 {
	text := q.v.Get(name)
	if text == "" {
		return def
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < lo || n > hi {
		q.fail(name, text, fmt.Sprintf("a whole number from %d to %d", lo, hi))
		return def
	}
	return n
}

// float reads a finite number.
func (q *query) float(name string, def float64) float64 {
	text := q.v.Get(name)
	if text == "" {
		return def
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 1<<60 {
		q.fail(name, text, "a number")
		return def
	}
	return n
}

// word reads one of some words; the first is meant when none is given.
func (q *query) word(name string, words ...string) string {
	text := q.v.Get(name)
	if text == "" {
		return words[0]
	}
	for _, w := range words {
		if w == text {
			return w
		}
	}
	q.fail(name, text, strings.Join(words, ", "))
	return words[0]
}

// ints reads a list of at most n whole numbers within [0, limit).
func (q *query) ints(name string, n, limit int) []int {
	var all []int
	text := q.v.Get(name)
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		i, err := strconv.Atoi(part)
		if err != nil || i < 0 || i >= limit || len(all) == n {
			q.fail(name, text, fmt.Sprintf("at most %d numbers below %d", n, limit))
			return nil
		}
		all = append(all, i)
	}
	return all
}

// window reads a stretch of the page's time, ns; the whole when none is given.
func (q *query) window(end int64) (from, to int64, whole bool) {
	const most = 1 << 60
	whole = q.v.Get("from") == "" && q.v.Get("to") == ""
	from, to = q.int("from", 0, -most, most), q.int("to", end, -most, most)
	if from > to {
		q.fail("from", q.v.Get("from"), "a time before to")
	}
	return from, to, whole
}

// ref names a thing of the run: "0.h12" is host range 12 of the first rank.
type ref struct {
	rank int
	kind byte // h host range, d device activity, p request, stage or step, f frame
	id   int
}

func (r ref) String() string { return fmt.Sprintf("%d.%c%d", r.rank, r.kind, r.id) }

// parseRef reads a reference; st says what there is.
func (st *state) parseRef(text string) (ref, error) {
	rank, rest, ok := strings.Cut(text, ".")
	if !ok || len(rest) < 2 {
		return ref{}, refusef("ref=%.40q: want a reference such as 0.h12", text)
	}
	r := ref{kind: rest[0]}
	var err, idErr error
	r.rank, err = strconv.Atoi(rank)
	r.id, idErr = strconv.Atoi(rest[1:])
	if err != nil || idErr != nil || r.rank < 0 || r.rank >= len(st.Ranks) || r.id < 0 || r.id >= st.pic.count(r.rank, r.kind) {
		return ref{}, refusef("ref=%.40q: the run holds no such thing", text)
	}
	return r, nil
}

// json answers with what f returns.
func (s *Server) json(f func(*state, *query) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			http.Error(w, "the address is broken: "+err.Error(), http.StatusBadRequest)
			return
		}
		q := &query{v: v}
		got, err := f(s.now.Load(), q)
		if err == nil {
			err = q.err
		}
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if raw, ok := got.(json.RawMessage); ok {
			_, _ = w.Write(raw) // the reader has gone
			return
		}
		_ = json.NewEncoder(w).Encode(got) // the reader has gone
	}
}

func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.As(err, &refused{}) {
		code = http.StatusBadRequest
	}
	http.Error(w, err.Error(), code)
}
