package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// version is nsys's, as its --version tells: "NVIDIA Nsight Systems version
// 2025.6.3.541-256337736014v0".
type version struct{ year, minor, micro int }

func (v version) String() string {
	if v == (version{}) {
		return "of unknown version"
	}
	return fmt.Sprintf("%d.%d.%d", v.year, v.minor, v.micro)
}

func (v version) before(w version) bool {
	if v.year != w.year {
		return v.year < w.year
	}
	if v.minor != w.minor {
		return v.minor < w.minor
	}
	return v.micro < w.micro
}

func readVersion(text string) (v version) {
	_, rest, ok := strings.Cut(text, "version ")
	if !ok {
		return v
	}
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	for i, to := range []*int{&v.year, &v.minor, &v.micro} {
		if i < len(parts) {
			*to, _ = strconv.Atoi(parts[i])
		}
	}
	return v
}

// since is the first version whose documentation has an option, as far as it is
// known; it counts only where "nsys profile --help" does not tell. Options that are
// not listed are older than all of these.
var since = map[string]version{
	"--capture-range-end":   {2021, 4, 0},
	"--cuda-graph-trace":    {2021, 5, 0},
	"--cuda-event-trace":    {2025, 1, 0},
	"--discard-environment": {2025, 6, 0},
}

// has reports whether a version takes an option; of an unknown version it is taken
// that it has those of all.
func (v version) has(option string) bool {
	first, listed := since[option]
	return !listed || v != (version{}) && !v.before(first)
}

// namesOption reports whether a help text names an option, not just one that
// begins like it.
func namesOption(help, option string) bool {
	for rest := help; ; {
		_, after, found := strings.Cut(rest, option)
		if !found {
			return false
		}
		if after == "" || !isOptionChar(after[0]) {
			return true
		}
		rest = after
	}
}

func isOptionChar(c byte) bool {
	return c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// option is one that Reel gives nsys.
type option struct {
	name, short string
	value       string
	normal      string // what an nsys without the option does anyway
	must        bool   // without it the run is not what was asked for
	why         string
}

// options are Reel's choice for a run; in the words of nsys's user guide.
func (n *Nsys) options(r *run) []option {
	list := []option{
		{name: "--trace", short: "-t", value: strings.Join(r.opt.Trace, ","), must: true, why: "a choice of sources"},
		{name: "--sample", short: "-s", value: "none"},                // CPU samples cost, and need rights
		{name: "--cpuctxsw", value: "none"},                           // on by default even without samples
		{name: "--cuda-event-trace", value: "false", normal: "false"}, // makes streams wait for each other
		{name: "--cuda-graph-trace", value: "node"},                   // "graph" shows a graph as one block
		{name: "--cuda-flush-interval", value: "10000", normal: "0"},  // ms; or long runs lose device events
		{name: "--kill", value: "none"},                               // the end of a range does not end the command
		{name: "--wait", value: "primary"},                            // workers that are left are Reel's to wait for
		{name: "--discard-environment", value: "true"},                // reports hold it otherwise, keys included
	}
	if r.opt.Profiler == "cuda" {
		list = append(list, option{name: "--trace-fork-before-exec", value: "true", must: true, why: "profiler: cuda"}) // workers are forked
	}
	if why := n.ranged(r); why != "" {
		asked := why != userRange
		if asked {
			list = append(list, option{name: captureRange.name, short: captureRange.short, value: "cudaProfilerApi", must: true, why: why})
		}
		list = append(list, option{name: "--capture-range-end", value: "repeat", must: asked, why: why}) // the default would end the command
	}
	return list
}

// Options that Reel has to do with in other ways.
var (
	output         = option{name: "--output", short: "-o"}
	forceOverwrite = option{name: "--force-overwrite", short: "-f"}
	captureRange   = option{name: "--capture-range", short: "-c"}
)

// userRange is the reason for a capture range that the user's own options ask for.
const userRange = "--nsys-arg=--capture-range"

// ranged says what asks for a capture range; "" for nothing.
func (n *Nsys) ranged(r *run) string {
	switch value, _ := n.given(captureRange); {
	case r.opt.Window != "":
		return "--window"
	case r.opt.Profiler == "cuda":
		return "profiler: cuda"
	case value == "cudaProfilerApi" || value == "nvtx":
		return userRange
	}
	return ""
}

// overrides reports whether the user's options name this one.
func (n *Nsys) overrides(o option) bool {
	_, ok := n.given(o)
	return ok
}

// given is the value that the user's options give an option: --trace=cuda,
// --trace cuda, -t cuda, -t=cuda or -tcuda.
func (n *Nsys) given(o option) (value string, ok bool) {
	for i, a := range n.Args {
		name, value, joined := strings.Cut(a, "=")
		if rest, short := strings.CutPrefix(a, o.short); short && o.short != "" {
			name, value, joined = o.name, strings.TrimPrefix(rest, "="), rest != ""
		}
		if name != o.name {
			continue
		}
		if !joined && i+1 < len(n.Args) {
			value = n.Args[i+1]
		}
		return value, true
	}
	return "", false
}
