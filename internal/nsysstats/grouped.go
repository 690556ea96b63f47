package nsysstats

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
)

// grouped are numbers in groups; a group goes by some words, its key. Of a single source
// it may go by the number of a name instead: there may be millions.
type grouped struct {
	words [][]string       // of groups that go by words
	ids   map[string]int32 // of these groups
	names []nameStyle      // of groups that go by a name of in
	in    *input
	plain bool // without the style

	group []int32
	value []int64
}

func newGrouped() *grouped { return &grouped{ids: map[string]int32{}} }

// groups is how many there are.
func (s *grouped) groups() int { return len(s.words) + len(s.names) }

// id returns the group that goes by some words, making it when it is new.
func (s *grouped) id(words ...string) int32 {
	k := words[0]
	if len(words) > 1 {
		k = strings.Join(words, "\x00")
	}
	id, ok := s.ids[k]
	if !ok {
		id = int32(len(s.words))
		s.words, s.ids[k] = append(s.words, slices.Clone(words)), id
	}
	return id
}

// named makes a group of a name of in. A grouped that has such groups has no others.
func (s *grouped) named(k nameStyle) int32 {
	s.names = append(s.names, k)
	return int32(len(s.names) - 1)
}

// key returns the words of a group.
func (s *grouped) key(g int32) []string {
	if s.in == nil {
		return s.words[g]
	}
	k := s.names[g]
	if s.plain {
		return []string{s.in.nameOf(k.nameKey)}
	}
	return []string{k.style.String(), s.in.nameOf(k.nameKey)}
}

func (s *grouped) add(group int32, v int64) {
	s.group, s.value = append(s.group, group), append(s.value, v)
}

// measured is what is told of a group.
type measured struct {
	key             int32
	n               int
	total, min, max int64
	avg, med, dev   float64
}

// ordered are groups, the largest total first, equal ones as they came.
type ordered struct {
	values []int64
	from   []int // by group and one behind: its part of values
	places []place
}

type place struct {
	total int64
	group int32
}

// measure puts the groups that have a number in order.
func (s *grouped) measure() *ordered {
	n := s.groups()
	o := &ordered{from: make([]int, n+1), values: make([]int64, len(s.value))}
	for _, g := range s.group {
		o.from[g+1]++
	}
	for i := range n {
		o.from[i+1] += o.from[i]
	}
	next := slices.Clone(o.from)
	for i, g := range s.group {
		o.values[next[g]] = s.value[i]
		next[g]++
	}
	for i := range n {
		vs := o.values[o.from[i]:o.from[i+1]]
		if len(vs) == 0 {
			continue
		}
		p := place{group: int32(i)}
		for _, v := range vs {
			p.total = plus(p.total, v)
		}
		o.places = append(o.places, p)
	}
	slices.SortFunc(o.places, func(x, y place) int {
		return cmp.Or(cmp.Compare(y.total, x.total), cmp.Compare(x.group, y.group))
	})
	return o
}

// at measures group i in their order.
func (o *ordered) at(i int) measured {
	g := o.places[i].group
	m := measureOne(o.values[o.from[g]:o.from[g+1]])
	m.key = g
	return m
}

// all measures them all.
func (o *ordered) all() iter.Seq[measured] {
	return func(yield func(measured) bool) {
		for i := range o.places {
			if !yield(o.at(i)) {
				return
			}
		}
	}
}

// measureOne sorts vs, which are some, and measures them. The deviation is that
// of a sample (n-1), 0 for one value.
func measureOne(vs []int64) measured {
	slices.Sort(vs)
	n := len(vs)
	m := measured{n: n, min: vs[0], max: vs[n-1], med: float64(vs[n/2])}
	if n%2 == 0 {
		m.med = (float64(vs[n/2-1]) + float64(vs[n/2])) / 2
	}
	for _, v := range vs {
		m.total = plus(m.total, v)
	}
	m.avg = float64(m.total) / float64(n)
	if n > 1 {
		var sum float64
		for _, v := range vs {
			d := float64(v) - m.avg
			sum += d * d
		}
		m.dev = math.Sqrt(sum / float64(n-1))
	}
	return m
}

// plus adds and stops at the largest number: files may claim anything.
func plus(a, b int64) int64 {
	if c := a + b; (c > a) == (b > 0) {
		return c
	}
	if b > 0 {
		return math.MaxInt64
	}
	return math.MinInt64
}
