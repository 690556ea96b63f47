package report

import (
	"fmt"
	"path"
	"strings"

	"reel/analyze"
	"reel/unit"
)

func dur(ns int64) string { return unit.Dur(ns).String() }

// count writes "1 step", "4 steps", "1,098 activities".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}

// share writes part of whole as "61 %": whole percents are enough in prose.
func share(part, whole int64) string {
	if whole <= 0 {
		return "0 %"
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case p > 0 && p < 1:
		return "<1 %"
	case p > 99 && p < 100:
		return ">99 %"
	}
	return fmt.Sprintf("%.0f %%", p)
}

// fraction says how little of something is seen: "a sixth".
func fraction(part, whole int64) string {
	words := []string{"", "", "half", "a third", "a quarter", "a fifth", "a sixth", "a seventh", "an eighth", "a ninth", "a tenth"}
	if part > 0 {
		if n := (whole + part/2) / part; n >= 2 && int(n) < len(words) {
			return words[n]
		}
	}
	return share(part, whole)
}

// shortName is a stage's name for people: of a Python call the function.
func shortName(name string, ev analyze.Evidence) string {
	if ev == analyze.ByCall {
		if k := strings.LastIndex(name, "): "); k >= 0 {
			return name[k+3:]
		}
		return path.Base(name)
	}
	return name
}

// times writes a ratio: "1.65×".
func times(a, b int64) string {
	if b <= 0 {
		return "?"
	}
	return fmt.Sprintf("%.2f×", float64(a)/float64(b))
}

// sees remarks that the host saw but a fraction of a stage's device time.
func sees(s stageRow) any {
	if s.busy == nil || s.cpu*10 >= *s.busy*4 {
		return nil
	}
	return "the CPU sees " + fraction(s.cpu, *s.busy) + " of it"
}

// opt is the value of an optional number, or nothing.
func opt(v *int64) any {
	if v == nil {
		return nil
	}
	return *v
}

// ratio is a share for a bar; nothing when there is no whole.
func ratio(part, whole *int64) any {
	if part == nil || whole == nil || *whole <= 0 {
		return nil
	}
	return float64(*part) / float64(*whole)
}
