package analyze

import (
	_ "embed"
	"fmt"
	"strings"

	"reel/event"
	"reel/internal/yaml"
	"reel/timeline"
)

//go:embed kernels.yaml
var kernelTable []byte

// KernelClass says what sort of work an activity does.
type KernelClass uint8

// The classes of device work. Norm includes the soft-max, Elementwise reductions,
// Copies what changes only the place or the layout of numbers, sets too.
const (
	OtherKernels KernelClass = iota
	MatrixKernels
	AttentionKernels
	ConvolutionKernels
	NormKernels
	ElementwiseKernels
	CopyKernels
	CommKernels
	numKernelClasses
)

var kernelClassNames = [numKernelClasses]string{"other", "matrix", "attention", "convolution", "norm", "elementwise", "copy", "communication"}

// String returns the word of the JSON form.
func (c KernelClass) String() string {
	if c < numKernelClasses {
		return kernelClassNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// KernelClasses lists the classes in the order in which reports show them.
func KernelClasses() []KernelClass {
	return []KernelClass{MatrixKernels, AttentionKernels, ConvolutionKernels, NormKernels, ElementwiseKernels, CopyKernels, CommKernels, OtherKernels}
}

// kernelRules is the table of kernels.yaml.
type kernelRules struct {
	Classes []kernelRule `yaml:"classes"`
	Types   []kernelRule `yaml:"types"`
}

type kernelRule struct {
	Class string   `yaml:"class"`
	Trait string   `yaml:"trait"`
	Type  string   `yaml:"type"`
	Any   []string `yaml:"any"`
	Not   []string `yaml:"not"`

	class    KernelClass
	any, not []part
}

// part is a pattern: texts that occur one after the other, from the beginning or
// anywhere.
type part struct {
	begin bool
	texts []string
}

func parts(patterns []string) (out []part) {
	for _, p := range patterns {
		rest, begin := strings.CutPrefix(p, "^")
		out = append(out, part{begin, strings.Split(rest, "*")})
	}
	return out
}

func (p part) in(name string) bool {
	if p.begin && !strings.HasPrefix(name, p.texts[0]) {
		return false
	}
	for _, t := range p.texts {
		k := strings.Index(name, t)
		if k < 0 {
			return false
		}
		name = name[k+len(t):]
	}
	return true
}

func (r *kernelRule) matches(name string) bool {
	for _, p := range r.any {
		if p.in(name) {
			for _, q := range r.not {
				if q.in(name) {
					return false
				}
			}
			return true
		}
	}
	return false
}

func loadKernelRules() (*kernelRules, error) {
	k := &kernelRules{}
	if err := yaml.Decode(kernelTable, k); err != nil {
		return nil, fmt.Errorf("kernel table: %w", err)
	}
	for i := range k.Types {
		k.Types[i].any = parts(k.Types[i].Any)
	}
	for i := range k.Classes {
		r := &k.Classes[i]
		r.any, r.not = parts(r.Any), parts(r.Not)
		for r.class = 0; r.class < numKernelClasses && kernelClassNames[r.class] != r.Class; r.class++ {
		}
		if r.class == numKernelClasses {
			return nil, fmt.Errorf("kernel table: rule %d: no class %q", i+1, r.Class)
		}
	}
	return k, nil
}

// kernelInfo is what a kernel's name tells.
type kernelInfo struct {
	class           KernelClass
	softmax, layout bool
	bits            string // type of what a product multiplies: "16", "32", "8"; "" unknown
	known           bool
}

// kernels tells what activities are, once per name.
type kernels struct {
	tl    *timeline.Timeline
	rules *kernelRules
	comm  func(timeline.NameID) bool
	memo  []kernelInfo
}

func newKernels(tl *timeline.Timeline, roles *Roles) *kernels {
	return &kernels{tl, roles.kernels, roles.collectives(tl), make([]kernelInfo, tl.Names())}
}

// of returns what activity i is.
func (k *kernels) of(i int32) *kernelInfo {
	a := &k.tl.Activities
	switch a.Class[i] {
	case event.Copy, event.Set:
		return &copyInfo
	}
	info := &k.memo[a.Name[i]]
	if !info.known {
		*info = k.look(a.Name[i])
	}
	return info
}

var copyInfo = kernelInfo{class: CopyKernels, known: true}

// maxKernelName is how much of a name is looked at.
const maxKernelName = 300

func (k *kernels) look(id timeline.NameID) kernelInfo {
	info := kernelInfo{known: true}
	if k.comm(id) {
		info.class = CommKernels
		return info
	}
	name := k.tl.Name(id)
	name = strings.ToLower(name[:min(len(name), maxKernelName)])
	if k.rules == nil {
		return info
	}
	for i := range k.rules.Classes {
		if r := &k.rules.Classes[i]; r.matches(name) {
			info.class, info.softmax, info.layout = r.class, r.Trait == "softmax", r.Trait == "layout"
			break
		}
	}
	if info.class == MatrixKernels || info.class == ConvolutionKernels {
		for i := range k.rules.Types {
			if r := &k.rules.Types[i]; r.matches(name) {
				info.bits = r.Type
				break
			}
		}
	}
	return info
}
