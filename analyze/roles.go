package analyze

import (
	_ "embed"
	"fmt"
	"strings"

	"reel/event"
	"reel/internal/yaml"
	"reel/timeline"
)

//go:embed roles.yaml
var builtinRoles []byte

// Roles is the rule table that gives ranges their meaning by name.
type Roles struct {
	Rules       []Rule   `yaml:"rules"`
	Collectives []string `yaml:"collectives"`

	kernels *kernelRules
	calls   *callRules
}

// Rule says what ranges of some names are; see roles.yaml.
type Rule struct {
	On    string   `yaml:"on"`    // annotation, module or call
	Role  string   `yaml:"role"`  // a word of event.Role
	Stage string   `yaml:"stage"` // with role stage
	Match []string `yaml:"match"` // glob patterns over the whole name
	Weak  bool     `yaml:"weak"`
	Needs string   `yaml:"needs"` // "" or step

	role event.Role
}

// Evidence says how a request, stage or step was recognised, best first.
type Evidence string

// The kinds of evidence.
const (
	ByRange      Evidence = "range"      // the producer said so
	ByAnnotation Evidence = "annotation" // a known name of a range
	ByModule     Evidence = "module"     // an nn.Module call
	ByCall       Evidence = "call"       // a Python call
	ByPattern    Evidence = "pattern"    // repetition
)

// LoadRoles returns the built-in table with the rules of more, YAML documents
// of the same form, before its own.
func LoadRoles(more ...[]byte) (*Roles, error) {
	all := &Roles{}
	var err error
	if all.kernels, err = loadKernelRules(); err != nil {
		return nil, err
	}
	if all.calls, err = loadCallRules(); err != nil {
		return nil, err
	}
	for _, doc := range append(more, builtinRoles) {
		var r Roles
		if err := yaml.Decode(doc, &r); err != nil {
			return nil, fmt.Errorf("role table: %w", err)
		}
		for i := range r.Rules {
			if err := r.Rules[i].check(); err != nil {
				return nil, fmt.Errorf("role table: rule %d: %w", i+1, err)
			}
		}
		for i, c := range r.Collectives {
			if r.Collectives[i] = strings.ToLower(c); c == "" {
				return nil, fmt.Errorf("role table: collectives: an empty name would match every kernel")
			}
		}
		all.Rules = append(all.Rules, r.Rules...)
		all.Collectives = append(all.Collectives, r.Collectives...)
	}
	return all, nil
}

func (r *Rule) check() error {
	switch r.On {
	case "annotation", "module", "call":
	default:
		return fmt.Errorf("on: %q: want annotation, module or call", r.On)
	}
	for role := event.Request; role <= event.WarmUp; role++ {
		if role.String() == r.Role {
			r.role = role
		}
	}
	switch {
	case r.role == event.NoRole:
		return fmt.Errorf("role: %q is none of request, loop, step, stage, forward, scheduler, frame, warmup", r.Role)
	case r.role == event.Stage && r.Stage == "":
		return fmt.Errorf("stage: a rule of role stage needs the stage's name")
	case r.Needs != "" && r.Needs != "step":
		return fmt.Errorf("needs: %q: want step", r.Needs)
	case len(r.Match) == 0:
		return fmt.Errorf("match: no pattern")
	}
	for i, m := range r.Match {
		r.Match[i] = strings.ToLower(m)
	}
	return nil
}

// subject returns the text that rules are matched against, and what it is.
func subject(name string, class event.Class) (on, text string) {
	switch class {
	case event.Annotation, event.Op, event.OtherRange:
		if strings.HasPrefix(name, "aten::") {
			return "", ""
		}
		return "annotation", name
	case event.Python:
		if m, ok := strings.CutPrefix(name, "nn.Module: "); ok {
			return "module", moduleClass(m)
		}
		if f, ok := splitCall(name); ok {
			return "call", f
		}
	}
	return "", ""
}

// moduleClass cuts the instance number: CLIPTextModel_0.
func moduleClass(m string) string {
	if k := strings.LastIndexByte(m, '_'); k > 0 && k+1 < len(m) && strings.Trim(m[k+1:], "0123456789") == "" {
		return m[:k]
	}
	return m
}

// splitCall turns "path/file.py(120): func" into "path/file.py: func".
func splitCall(name string) (string, bool) {
	k := strings.LastIndex(name, "): ")
	if k < 0 {
		return "", false
	}
	o := strings.LastIndexByte(name[:k], '(')
	if o < 0 {
		return "", false
	}
	return name[:o] + name[k+1:], true
}

// matcher finds the rule of a range, once per name.
type matcher struct {
	tl    *timeline.Timeline
	roles *Roles
	known [2][]uint16 // per name: 0 not asked, 1 no rule, else index+2; other ranges, then Python calls
}

func newMatcher(tl *timeline.Timeline, roles *Roles) *matcher {
	return &matcher{tl, roles, [2][]uint16{make([]uint16, tl.Names()), make([]uint16, tl.Names())}}
}

// rule returns the rule of range r, or nil.
func (m *matcher) rule(r timeline.RangeID) *Rule {
	class, side := m.tl.Ranges.Class[r], 0
	switch class {
	case event.Python:
		side = 1
	case event.Annotation, event.Op, event.OtherRange:
	default:
		return nil
	}
	k := &m.known[side][m.tl.Ranges.Name[r]]
	if *k == 0 {
		*k = m.roles.find(subject(m.tl.Name(m.tl.Ranges.Name[r]), class)) + 1
	}
	if *k == 1 {
		return nil
	}
	return &m.roles.Rules[*k-2]
}

func (ro *Roles) find(on, text string) uint16 {
	if on == "" {
		return 0
	}
	text = strings.ToLower(text)
	for i := range ro.Rules {
		if r := &ro.Rules[i]; r.On == on {
			for _, m := range r.Match {
				if glob(m, text) {
					return uint16(i + 1)
				}
			}
		}
	}
	return 0
}

// glob matches the whole of s: * is any text, ? any one byte. It takes time in
// proportion to len(p) times len(s) at worst.
func glob(p, s string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// collectives returns a test for names of collective kernels.
func (ro *Roles) collectives(tl *timeline.Timeline) func(timeline.NameID) bool {
	known := make([]int8, tl.Names())
	return func(id timeline.NameID) bool {
		if known[id] == 0 {
			known[id] = -1
			name := strings.ToLower(tl.Name(id))
			for _, c := range ro.Collectives {
				if strings.Contains(name, c) {
					known[id] = 1
					break
				}
			}
		}
		return known[id] > 0
	}
}
