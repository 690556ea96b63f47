package nsys

import "fmt"

// Bounds of the names of an export: of all, and of one, bytes. What is longer is no name
// but a process's environment or output, and is cut.
const (
	maxTexts = 512 << 20
	maxText  = 16 << 10
)

// texts are the names of an export (StringIds). It is read-only once made, so that
// workers share it.
type texts struct {
	arena []byte
	end   []uint32
	index map[int64]uint32 // id to place; nil when ids are places
}

// count is how many names there are; places lie below it.
func (t *texts) count() int { return len(t.end) }

// place returns where the name of an id lies.
func (t *texts) place(id int64) (int, bool) {
	if t.index != nil {
		p, ok := t.index[id]
		return int(p), ok
	}
	return int(id), id >= 0 && id < int64(len(t.end))
}

// at returns the name at a place.
func (t *texts) at(place int) []byte {
	lo := uint32(0)
	if place > 0 {
		lo = t.end[place-1]
	}
	return t.arena[lo:t.end[place]:t.end[place]]
}

// text returns the name of an id, "" when there is none.
func (t *texts) text(id int64) string {
	p, ok := t.place(id)
	if !ok {
		return ""
	}
	return string(t.at(p))
}

// readTexts reads the names. A damaged table gives those before the damage; what is longer
// than a connection may read is a program's output, and has no name.
func (x *export) readTexts() (*texts, error) {
	t := &texts{}
	if !x.has("StringIds", "id", "value") {
		return t, nil
	}
	rows, err := x.db.Query(fmt.Sprintf("SELECT id, iif(octet_length(value) > %d, NULL, value) FROM StringIds NOT INDEXED", maxValue))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for n := int64(0); rows.Next(); n++ {
		id, v := rows.Int(0), rows.Text(1)
		if t.index == nil && id != n {
			t.index = map[int64]uint32{}
			for i := range t.end {
				t.index[int64(i)] = uint32(i)
			}
		}
		if t.index != nil {
			if _, twice := t.index[id]; twice {
				continue
			}
			t.index[id] = uint32(len(t.end))
		}
		t.arena = append(t.arena, v[:min(len(v), maxText)]...)
		t.end = append(t.end, uint32(len(t.arena)))
		if len(t.arena) > maxTexts {
			return nil, fmt.Errorf("more than %d MiB of different names", maxTexts>>20)
		}
	}
	return t, damaged(rows.Err())
}
