package window

import (
	"errors"
	"strings"
	"testing"
)

// TestParse pins every spelling: those that TensorRT-LLM's own parser takes,
// those that it takes wrongly, and those that it rejects.
func TestParse(t *testing.T) {
	for _, c := range vectors(t).Parse {
		spec, err := Parse("VAR", c.Value)
		if c.Reason == "" {
			if err != nil || spec.String() != c.Want {
				t.Errorf("%q: %q, %v; want %q", c.Value, spec, err, c.Want)
			}
			if again, err := Parse("VAR", spec.String()); err != nil || again.String() != spec.String() {
				t.Errorf("%q: does not read its own spelling %q: %v", c.Value, spec, err)
			}
			continue
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.Reason) {
			t.Errorf("%q: %v; want a reason with %q", c.Value, err, c.Reason)
		} else if !strings.Contains(err.Error(), "VAR") || !strings.Contains(err.Error(), Forms) {
			t.Errorf("%q: %v does not name the variable and the accepted forms", c.Value, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0-4,8-9", "loop1:0-4", "last:0-2", "all", "-1", "1,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		spec, err := Parse("V", value)
		if err != nil {
			return
		}
		again, err := Parse("V", spec.String())
		if err != nil || again.String() != spec.String() {
			t.Errorf("%q -> %q -> %q, %v", value, spec, again, err)
		}
	})
}
