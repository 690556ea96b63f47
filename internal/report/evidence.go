package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"reel/analyze"
	"reel/internal/display"
	"reel/table"
	"reel/unit"
)

// evidenceText writes the numbers behind a finding: "idle 36.0 %, idle 269.9 ms,
// steps 3". The ending of a key is its unit.
func evidenceText(e map[string]any) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(e)) {
		if s := evidence(k, e[k]); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "; ")
}

// evidence is one fact: its name, and its value with a unit.
func evidence(key string, v any) string {
	name, value := strings.ReplaceAll(key, "_", " "), ""
	switch v := v.(type) {
	case []any:
		return listed(name, v)
	case map[string]any:
		return shares(name, v)
	case string:
		value = fitName(display.Clean(v), maxEvidence)
	case bool:
		value = "no"
		if v {
			value = "yes"
		}
	default:
		n, ok := number(v)
		if !ok {
			return ""
		}
		return unitText(name, n)
	}
	return name + " " + value
}

// maxEvidence bounds a text in evidence.
const maxEvidence = 60

// number takes what a number may be before and after it went through JSON.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

func unitText(name string, n float64) string {
	for suffix, text := range map[string]func() string{
		" ns":      func() string { return dur(int64(n)) },
		" percent": func() string { return unit.Percent(n).String() },
		" bytes":   func() string { return unit.Bytes(n).String() },
	} {
		if short, ok := strings.CutSuffix(name, suffix); ok {
			return short + " " + text()
		}
	}
	if name == "percent" {
		return unit.Percent(n).String()
	}
	if n == float64(int64(n)) {
		return name + " " + unit.Count(int64(n)).String()
	}
	return name + " " + strconv.FormatFloat(n, 'f', 1, 64)
}

// listed writes a list of texts, or of facts in brackets.
func listed(name string, list []any) string {
	var parts []string
	for _, v := range list {
		switch v := v.(type) {
		case string:
			parts = append(parts, fitName(display.Clean(v), maxEvidence))
		case map[string]any:
			parts = append(parts, "("+factsText(v)+")")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return name + " " + strings.Join(parts, ", ")
}

// factsText writes the facts of one thing of a list.
func factsText(m map[string]any) string {
	var parts []string
	if n, ok := number(m["duration_ns"]); ok {
		parts = append(parts, dur(int64(n)))
	}
	if n, ok := number(m["at_ns"]); ok {
		parts = append(parts, "at "+dur(int64(n)))
	}
	for _, k := range []string{"before", "call"} {
		if s, ok := m[k].(string); ok {
			parts = append(parts, map[string]string{"before": "before ", "call": "in "}[k]+fitName(display.Clean(s), maxEvidence))
		}
	}
	return strings.Join(parts, " ")
}

// shares writes parts of a whole, the largest first: "host meanwhile Python 62 %".
func shares(name string, m map[string]any) string {
	var keys []string
	var sum float64
	value := map[string]float64{}
	for k, v := range m {
		if n, ok := number(v); ok && n > 0 {
			keys, value[k], sum = append(keys, k), n, sum+n
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		if value[a] != value[b] {
			return map[bool]int{true: -1, false: 1}[value[a] > value[b]]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, k := range keys {
		parts = append(parts, display.Clean(k)+" "+share(int64(value[k]), int64(sum)))
	}
	return strings.TrimSuffix(name, " ns") + ": " + strings.Join(parts, ", ")
}

// FindingRows are the findings as a table for programs.
func FindingRows(d *analyze.Document) *table.Table {
	t := table.New("findings", table.Col{Name: "id", Unit: table.Text}, table.Col{Name: "severity", Unit: table.Text},
		table.Col{Name: "rank"}, table.Col{Name: "stage", Unit: table.Text}, table.Col{Name: "step"}, table.Col{Name: "call", Unit: table.Text},
		table.Col{Name: "cost", Unit: table.Nanoseconds}, table.Col{Name: "title", Unit: table.Text}, table.Col{Name: "evidence", Unit: table.Text},
		table.Col{Name: "remedy", Unit: table.Text})
	for _, f := range d.Findings {
		w := f.Where
		if w == nil {
			w = &analyze.Where{}
		}
		facts, _ := json.Marshal(f.Evidence) // came from JSON
		t.Add(f.ID, string(f.Severity), whole(w.Rank), w.Stage, whole(w.Step), w.Call, opt(f.Cost), f.Title, string(facts), f.Remedy)
	}
	return t
}

func whole(v *int) any {
	if v == nil {
		return nil
	}
	return *v
}

// LimitRows are the thresholds of findings.
func LimitRows() *table.Table {
	t := table.New("limits", table.Col{Name: "threshold", Unit: table.Text}, table.Col{Name: "default", Unit: table.Text, Align: table.Right}, table.Col{Name: "bounds", Unit: table.Text})
	for _, l := range analyze.LimitTable() {
		t.Add(l.Name, limitValue(l), l.Means)
	}
	return t
}

func limitValue(l analyze.Limit) string { return strconv.FormatFloat(l.Value, 'g', -1, 64) + l.Unit }
