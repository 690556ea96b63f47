package cli

import (
	"fmt"
	"slices"
	"strings"

	"reel/unit"
)

// exportTo is the value of --to, which names formats, and with --from a time.
type exportTo struct {
	formats []string
	until   *unit.Dur
}

func (t *exportTo) String() string { return strings.Join(t.formats, ",") }
func (t *exportTo) Type() string   { return "FORMAT" }

func (t *exportTo) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		if slices.Contains(exportNames(), word) {
			if !slices.Contains(t.formats, word) {
				t.formats = append(t.formats, word)
			}
			continue
		}
		d, err := unit.ParseDur(word)
		if err != nil {
			return fmt.Errorf("want one of %s, or a time such as 1.5s", strings.Join(exportNames(), ", "))
		}
		if t.until != nil {
			return fmt.Errorf("the cut ends at %v already", *t.until)
		}
		t.until = &d
	}
	return nil
}
