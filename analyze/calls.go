package analyze

import (
	_ "embed"
	"fmt"
	"strings"

	"reel/event"
	"reel/internal/yaml"
	"reel/timeline"
)

//go:embed calls.yaml
var callTable []byte

// callKind says what a host range means to findings.
type callKind uint8

const (
	plainCall callKind = iota
	syncCall
	blockingCopy
	allocCall
	loadCall
	graphCall
	launchCall
	compileCall
	tuneCall
	dataCall
	regionCall
	profilerCall
	numCallKinds
)

var callKindNames = [numCallKinds]string{"", "sync", "blocking-copy", "alloc", "load", "graph", "launch", "compile", "tune", "data", "region", "profiler"}

// callRules is the table of calls.yaml.
type callRules struct {
	Runtime   []callRule `yaml:"runtime"`
	Python    []callRule `yaml:"python"`
	Ranges    []callRule `yaml:"ranges"`
	Framework []string   `yaml:"framework"`
	Library   []string   `yaml:"python_library"`
}

type callRule struct {
	Kind  string   `yaml:"kind"`
	Match []string `yaml:"match"`
	kind  callKind
}

func loadCallRules() (*callRules, error) {
	c := &callRules{}
	if err := yaml.Decode(callTable, c); err != nil {
		return nil, fmt.Errorf("call table: %w", err)
	}
	for _, list := range [][]callRule{c.Runtime, c.Python, c.Ranges} {
		for i := range list {
			r := &list[i]
			for r.kind = 1; r.kind < numCallKinds && callKindNames[r.kind] != r.Kind; r.kind++ {
			}
			if r.kind == numCallKinds {
				return nil, fmt.Errorf("call table: no kind %q", r.Kind)
			}
			lowerAll(r.Match)
		}
	}
	lowerAll(c.Framework)
	lowerAll(c.Library)
	return c, nil
}

func lowerAll(list []string) {
	for i := range list {
		list[i] = strings.ToLower(list[i])
	}
}

// calls tells what host ranges are, once per name and sort of range.
type calls struct {
	tl    *timeline.Timeline
	rules *callRules
	memo  [3][]uint8 // runtime, Python, other: 0 not asked, else kind+1
	user  []uint8    // of Python names: 0 not asked, 1 framework or library, 2 the user's
}

func newCalls(tl *timeline.Timeline, roles *Roles) *calls {
	c := &calls{tl: tl, rules: roles.calls, user: make([]uint8, tl.Names())}
	for i := range c.memo {
		c.memo[i] = make([]uint8, tl.Names())
	}
	return c
}

// kind returns what range r is.
func (c *calls) kind(r timeline.RangeID) callKind {
	id, side := c.tl.Ranges.Name[r], 2
	switch c.tl.Ranges.Class[r] {
	case event.Runtime, event.Driver:
		side = 0
	case event.Python:
		side = 1
	}
	k := &c.memo[side][id]
	if *k == 0 {
		*k = uint8(c.look(side, c.tl.Name(id))) + 1
	}
	return callKind(*k - 1)
}

func (c *calls) look(side int, name string) callKind {
	if c.rules == nil {
		return plainCall
	}
	list := c.rules.Ranges
	switch side {
	case 0:
		list = c.rules.Runtime
	case 1:
		list = c.rules.Python
		f, ok := splitCall(name)
		if !ok {
			return plainCall
		}
		name = f
	}
	name = strings.ToLower(name[:min(len(name), maxKernelName)])
	for i := range list {
		if anyGlob(list[i].Match, name) {
			return list[i].kind
		}
	}
	return plainCall
}

func anyGlob(patterns []string, text string) bool {
	for _, p := range patterns {
		if glob(p, text) {
			return true
		}
	}
	return false
}

// place returns the innermost Python call around r, or r itself, that belongs to
// neither PyTorch nor Python: "pipeline_flux.py(912): __call__"; "" when there is none.
func (c *calls) place(r timeline.RangeID) string {
	for ; r != timeline.NoRange; r = c.tl.Ranges.Parent[r] {
		if c.tl.Ranges.Class[r] == event.Python && c.isUser(c.tl.Ranges.Name[r]) {
			return shortCall(c.tl.Name(c.tl.Ranges.Name[r]))
		}
	}
	return ""
}

func (c *calls) isUser(id timeline.NameID) bool {
	u := &c.user[id]
	if *u == 0 {
		if *u = 1; c.rules != nil {
			name, ok := splitCall(c.tl.Name(id))
			file, _, _ := strings.Cut(strings.ToLower(name), ": ")
			for _, installed := range []string{"/site-packages/", "/dist-packages/"} {
				if _, rest, cut := strings.Cut(file, installed); cut {
					file = rest
				}
			}
			if ok && file != "" && !anyGlob(c.rules.Framework, file) && !anyGlob(c.rules.Library, file) {
				*u = 2
			}
		}
	}
	return *u == 2
}

// shortCall cuts the folders off "path/file.py(12): func", save where only the
// folder tells files apart.
func shortCall(name string) string {
	end := strings.LastIndex(name, "): ")
	if end < 0 {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	k := strings.LastIndexByte(name[:end], '/')
	if k >= 0 && strings.HasPrefix(name[k+1:], "__") {
		k = strings.LastIndexByte(name[:k], '/')
	}
	return strings.ToValidUTF8(name[k+1:], "\uFFFD")
}
