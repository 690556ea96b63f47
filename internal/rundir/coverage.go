package rundir

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Coverage says, for one thing that was asked for, what a rank saw of it.
type Coverage struct {
	Asked        string `json:"asked"`   // "window 0-4", "session"
	Entered      int    `json:"entered"` // how often it was entered
	Of           int    `json:"of"`      // how often it could have been; 0 unknown
	Unit         string `json:"unit"`    // "loops", "requests"
	Events       int64  `json:"events"`
	DeviceEvents int64  `json:"device_events"`
	Missed       string `json:"missed,omitempty"` // why something was not entered
}

// RankCoverage is the coverage of a rank.
type RankCoverage struct {
	Rank     int
	Coverage []Coverage
}

// CoverageText says in a line for each thing that was asked for what all ranks saw
// of it: "window 0-4: entered 2 of 2 loops, 812 events, 640 device events on
// ranks 0–3; rank 5: nothing". Events are sums over ranks. warnings name what is
// empty. world is the number of ranks, 0 when unknown; a rank without a record
// has seen nothing.
func CoverageText(ranks []RankCoverage, world int) (lines, warnings []string) {
	var asked []string
	for _, r := range ranks {
		for _, c := range r.Coverage {
			if !slices.Contains(asked, c.Asked) {
				asked = append(asked, c.Asked)
			}
		}
	}
	for _, a := range asked {
		g := gather(a, ranks, world)
		lines = append(lines, g.line())
		warnings = append(warnings, g.warnings()...)
	}
	return lines, warnings
}

// group is one thing that was asked for, over all ranks.
type group struct {
	sum           Coverage
	entLow, ofLow int
	seen, empty   []int
	missed        []string
}

func gather(asked string, ranks []RankCoverage, world int) group {
	g := group{sum: Coverage{Asked: asked}, entLow: -1}
	known := map[int]bool{}
	for _, r := range ranks {
		for _, c := range r.Coverage {
			if c.Asked != asked {
				continue
			}
			known[r.Rank] = true
			g.add(r.Rank, c)
		}
	}
	for rank := range world {
		if !known[rank] {
			g.empty = append(g.empty, rank)
		}
	}
	slices.Sort(g.seen)
	slices.Sort(g.empty)
	g.seen, g.empty = slices.Compact(g.seen), slices.Compact(g.empty)
	return g
}

func (g *group) add(rank int, c Coverage) {
	if g.sum.Unit == "" {
		g.sum.Unit = c.Unit
	}
	if c.Missed != "" && !slices.Contains(g.missed, c.Missed) {
		g.missed = append(g.missed, c.Missed)
	}
	if c.Entered == 0 && c.Events == 0 {
		g.empty = append(g.empty, rank)
		g.sum.Of = max(g.sum.Of, c.Of)
		return
	}
	g.seen = append(g.seen, rank)
	if g.entLow < 0 {
		g.entLow, g.ofLow = c.Entered, c.Of
	}
	g.entLow, g.ofLow = min(g.entLow, c.Entered), min(g.ofLow, c.Of)
	g.sum.Entered, g.sum.Of = max(g.sum.Entered, c.Entered), max(g.sum.Of, c.Of)
	g.sum.Events += c.Events
	g.sum.DeviceEvents += c.DeviceEvents
}

func (g group) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", g.sum.Asked)
	if len(g.seen) == 0 {
		b.WriteString("nothing")
		if g.sum.Of > 0 {
			fmt.Fprintf(&b, " (0 of %d %s)", g.sum.Of, g.sum.Unit)
		}
	} else {
		fmt.Fprintf(&b, "entered %s", spread(g.entLow, g.sum.Entered))
		if g.sum.Of > 0 {
			fmt.Fprintf(&b, " of %s", spread(g.ofLow, g.sum.Of))
		}
		fmt.Fprintf(&b, " %s, %d events, %d device events on %s", g.sum.Unit, g.sum.Events, g.sum.DeviceEvents, Ranks(g.seen))
		if len(g.empty) > 0 {
			fmt.Fprintf(&b, "; %s: nothing", Ranks(g.empty))
		}
	}
	if len(g.missed) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(g.missed, "; "))
	}
	return b.String()
}

func (g group) warnings() []string {
	switch {
	case len(g.seen) == 0:
		return []string{g.sum.Asked + " recorded nothing: it was never entered"}
	case g.sum.Events == 0:
		return []string{g.sum.Asked + " was entered but holds no events"}
	case g.sum.DeviceEvents == 0:
		return []string{g.sum.Asked + " holds no device events"}
	case len(g.empty) > 0:
		return []string{fmt.Sprintf("%s recorded nothing on %s", g.sum.Asked, Ranks(g.empty))}
	}
	return nil
}

func spread(low, high int) string {
	if low == high {
		return strconv.Itoa(high)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// Ranks writes ranks as people do: "rank 5", "ranks 0–3", "ranks 0–3, 7".
func Ranks(ranks []int) string {
	ranks = slices.Clone(ranks)
	slices.SortFunc(ranks, cmp.Compare)
	ranks = slices.Compact(ranks)
	var parts []string
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		switch {
		case i == j:
			parts = append(parts, strconv.Itoa(ranks[i]))
		case j == i+1:
			parts = append(parts, strconv.Itoa(ranks[i]), strconv.Itoa(ranks[j]))
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", ranks[i], ranks[j]))
		}
		i = j + 1
	}
	if len(ranks) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ", ")
}
