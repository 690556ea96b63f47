package webui

import "sync"

// memo keeps answers that take long, by a word for each. The zero value is ready.
type memo struct {
	mu  sync.Mutex
	all map[string]*answer
}

type answer struct {
	once sync.Once
	got  any
}

// get returns what make returned the first time that word was asked for.
func (m *memo) get(word string, make func() any) any {
	m.mu.Lock()
	if m.all == nil {
		m.all = map[string]*answer{}
	}
	a := m.all[word]
	if a == nil {
		a = &answer{}
		m.all[word] = a
	}
	m.mu.Unlock()
	a.once.Do(func() { a.got = make() })
	return a.got
}
