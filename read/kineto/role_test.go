package kineto

import (
	"testing"

	"reel/event"
)

// TestOwnCategories reads what Reel's own exports add: roles behind a category, and
// tracks of its own, which are passed over.
func TestOwnCategories(t *testing.T) {
	evs, warn, src, err := read(t, `[{"ph":"X","cat":"user_annotation,step","name":"a","ts":1,"dur":1},{"ph":"X","cat":"cpu_op,stage","name":"b","ts":1,"dur":1},`+
		`{"ph":"X","cat":"user_annotation","name":"c","ts":1,"dur":1},{"ph":"X","cat":"blink,benchmark","name":"d","ts":1,"dur":1},`+
		`{"ph":"X","cat":"reel","name":"e","ts":1,"dur":1},{"ph":"X","name":"f","ts":1,"dur":1}]`, Options{})
	if err != nil || len(warn) > 0 || src.Info().Events != 6 {
		t.Fatal(err, warn, src.Info().Events)
	}
	want := []struct {
		name  string
		class event.Class
		role  event.Role
	}{{"a", event.Annotation, event.Step}, {"b", event.Op, event.Stage}, {"c", event.Annotation, event.NoRole},
		{"d", event.OtherRange, event.NoRole}, {"f", event.Op, event.NoRole}}
	if len(evs) != len(want) {
		t.Fatalf("%d events, want %d", len(evs), len(want))
	}
	for i, w := range want {
		if e := evs[i]; e.Name != w.name || e.Class != w.class || e.Role != w.role {
			t.Errorf("%s is %v %v, want %v %v", e.Name, e.Class, e.Role, w.class, w.role)
		}
	}
}
