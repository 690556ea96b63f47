package kineto

import (
	"strings"
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

// TestAccelerator reads the sort of device off the categories, in whichever chunk
// they stand.
func TestAccelerator(t *testing.T) {
	filler := strings.Repeat(`{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":1},`, 4000)
	for _, c := range []struct{ cat, want string }{{"cuda_runtime", ""}, {"xpu_runtime", "XPU"}, {"xpu_driver", "XPU"},
		{"mtia_ccp_events", "MTIA"}, {"hpu_op", "HPU"}} {
		_, _, src, err := read(t, `[`+filler+`{"ph":"X","cat":"`+c.cat+`","name":"b","ts":1,"dur":1},`+filler+`{"ph":"X","cat":"kernel","name":"c","ts":1,"dur":1}]`,
			Options{Chunk: 64 << 10})
		if got := src.Info().Accelerator; err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.cat, got, err, c.want)
		}
	}
}
