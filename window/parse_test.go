package window

import (
	"errors"
	"strings"
	"testing"
)

// TestParse pins every spelling: those that TensorRT-LLM's own parser takes,
// those that it takes wrongly, and those that it rejects.
func TestParse(t *testing.T) {
	for _, c := range []struct{ value, want, reason string }{
		{"", "", ""}, {"all", "all", ""}, {"ALL", "all", ""}, {" PreDenoise ", "predenoise", ""}, {"postdenoise", "postdenoise", ""}, {"Decode", "decode", ""},
		{"0-4", "0-4", ""}, {" 0 - 4 ", "0-4", ""}, {"00-04", "0-4", ""}, {"0-4,8-9", "0-4,8-9", ""}, {"8-9, 0-4", "0-4,8-9", ""},
		{"3", "3", ""}, {"1,3,5", "1,3,5", ""}, {"2-2", "2", ""}, {"12", "12", ""}, {"0,1", "0,1", ""},
		{"loop1:0-4", "loop1:0-4", ""}, {"last:0-2", "last:0-2", ""}, {"LOOP0:1, Last : 2", "last:2,loop0:1", ""}, {"loop0:0-4,loop1:0-4", "loop0:0-4,loop1:0-4", ""},
		// Recorded wrongly, or not at all, by the original.
		{"5-2", "", "backwards"}, {"0-4,2", "", "overlap"}, {"0-1,1-2", "", "overlap"}, {"0-4,4-8", "", "overlap"}, {"1,1", "", "twice"},
		{"0-4,loop1:2", "", "overlap"}, {"last:0-2,last:1", "", "overlap"},
		// Quirks of Python's int.
		{"+1-+3", "", "no step number"}, {"1_0", "", "no step number"}, {"٣", "", "no step number"},
		{" ", "", "blank"}, {"0-4,", "", "empty"}, {"0-4,,5", "", "empty"}, {",", "", "empty"}, {"-", "", "negative"}, {"-1", "", "negative"}, {"0-", "", "no step number"},
		{"1-2-3", "", "no step number"}, {"0:4", "", "no loop"}, {"0x2", "", "no step number"}, {"3.0", "", "no step number"}, {"0–4", "", "no step number"},
		{"all,0-4", "", "stands alone"}, {"0-4,decode", "", "stands alone"}, {"loop:1", "", "no loop"}, {"loopx:1", "", "no loop"}, {"loop1:", "", "no step number"},
		{"loop-1:2", "", "no loop"}, {"99999999999", "", "no step number"}, {"first:1", "", "no loop"},
	} {
		spec, err := Parse("VAR", c.value)
		if c.reason == "" {
			if err != nil || spec.String() != c.want {
				t.Errorf("%q: %q, %v; want %q", c.value, spec, err, c.want)
			}
			if again, err := Parse("VAR", spec.String()); err != nil || again.String() != spec.String() {
				t.Errorf("%q: does not read its own spelling %q: %v", c.value, spec, err)
			}
			continue
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%q: %v; want a reason with %q", c.value, err, c.reason)
		} else if !strings.Contains(err.Error(), "VAR") || !strings.Contains(err.Error(), Forms) {
			t.Errorf("%q: %v does not name the variable and the accepted forms", c.value, err)
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
