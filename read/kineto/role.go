package kineto

import (
	"bytes"

	"reel/event"
)

// cutRole takes the role out of a category: traces that Reel writes of recordings
// name it behind a comma, as in "user_annotation,step", since Chrome's format has
// lists of categories there.
func cutRole(cat []byte) ([]byte, event.Role) {
	plain, word, ok := bytes.Cut(cat, []byte(","))
	for role := event.Request; ok && role <= event.WarmUp; role++ {
		if role.String() == string(word) {
			return plain, role
		}
	}
	return cat, event.NoRole
}

// role returns the role of the event in r.
func (p *parser) role(r *row) event.Role {
	if !r.hasCat {
		return event.NoRole
	}
	return p.catRole
}
