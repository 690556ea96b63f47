package nsysstats

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// grouped are numbers in groups; a group goes by some words, its key.
type grouped struct {
	keys  []groupKey
	ids   map[string]int32 // of groups that go by words
	group []int32
	value []int64
}

// groupKey is what a group goes by: words, or the named ranges of one source that
// share a name.
type groupKey struct {
	words []string
	in    *input
	name  nameStyle
	plain bool // without the style
}

func newGrouped() *grouped { return &grouped{ids: map[string]int32{}} }

// id returns the group that goes by some words, making it when it is new.
func (s *grouped) id(words ...string) int32 {
	k := words[0]
	if len(words) > 1 {
		k = strings.Join(words, "\x00")
	}
	id, ok := s.ids[k]
	if !ok {
		id = s.fresh(groupKey{words: slices.Clone(words)})
		s.ids[k] = id
	}
	return id
}

// fresh makes a group.
func (s *grouped) fresh(k groupKey) int32 {
	s.keys = append(s.keys, k)
	return int32(len(s.keys) - 1)
}

// key returns the words of a group.
func (s *grouped) key(g int32) []string {
	k := &s.keys[g]
	switch {
	case k.in == nil:
		return k.words
	case k.plain:
		return []string{k.in.nameOf(k.name.nameKey)}
	}
	return []string{k.name.style.String(), k.in.nameOf(k.name.nameKey)}
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

// measure measures each group, the largest total first, equal ones as they came: there
// may be millions.
func (s *grouped) measure() []measured {
	from := make([]int, len(s.keys)+1)
	for _, g := range s.group {
		from[g+1]++
	}
	for i := range s.keys {
		from[i+1] += from[i]
	}
	values, next := make([]int64, len(s.value)), slices.Clone(from)
	for i, g := range s.group {
		values[next[g]] = s.value[i]
		next[g]++
	}
	out := make([]measured, 0, len(s.keys))
	for i := range s.keys {
		if vs := values[from[i]:from[i+1]]; len(vs) > 0 {
			m := measureOne(vs)
			m.key = int32(i)
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(x, y measured) int {
		return cmp.Or(cmp.Compare(y.total, x.total), cmp.Compare(x.key, y.key))
	})
	return out
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
