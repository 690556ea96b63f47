package floors

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// source is one Go file: its folder, what it imports, whether it is a test
// from outside its package, and whether it is a test at all.
type source struct {
	file, folder   string
	imports        []string
	test, external bool
}

// scan reads the imports of every Go file of the module at the root of tree,
// leaving out what the go command leaves out.
func scan(tree fs.FS) ([]source, error) {
	var out []source
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			if name == "." {
				return nil
			}
			_, nested := fs.Stat(tree, name+"/go.mod")
			if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "node_modules" || nested == nil {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || base[0] == '.' || base[0] == '_' {
			return nil
		}
		s, err := read(tree, name)
		out = append(out, s)
		return err
	})
	return out, err
}

func read(tree fs.FS, name string) (source, error) {
	s := source{file: name, folder: path.Dir(name), test: strings.HasSuffix(name, "_test.go")}
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return s, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
	if err != nil {
		return s, err
	}
	s.external = s.test && strings.HasSuffix(f.Name.Name, "_test")
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		s.imports = append(s.imports, p)
	}
	return s, nil
}

// house is all that the check compares.
type house struct {
	module  string
	plan    plan
	reqs    []requirement
	ledger  []row
	sources []source
}

// load reads the house at the root of tree.
func load(tree fs.FS) (h house, err error) {
	var files [3][]byte
	for i, name := range []string{"internal/floors/floors.txt", "go.mod", "DEPENDENCIES.md"} {
		if files[i], err = fs.ReadFile(tree, name); err != nil {
			return h, err
		}
	}
	if h.plan, err = parsePlan(files[0]); err != nil {
		return h, err
	}
	h.module, h.reqs = parseMod(files[1])
	h.ledger = parseLedger(files[2])
	h.sources, err = scan(tree)
	return h, err
}

// check lists what is wrong with the house, sorted; nothing when it stands.
func (h house) check() []string {
	faults := map[string]bool{}
	say := func(format string, args ...any) { faults[fmt.Sprintf(format, args...)] = true }
	importers := map[string][]string{} // module → folders
	for _, s := range h.sources {
		level, listed := h.plan.of(s.folder)
		if !listed {
			say("%s is not listed in floors.txt", s.folder)
			continue
		}
		for _, imp := range s.imports {
			folder, own := h.own(imp)
			if !own {
				if module := h.foreign(imp); module != "" && !slices.Contains(importers[module], s.folder) {
					importers[module] = append(importers[module], s.folder)
				}
				continue
			}
			// A test outside its package stands above it, so it may look anywhere.
			if folder == s.folder || s.external {
				continue
			}
			if below, known := h.plan.of(folder); known && below >= level {
				say("%s (floor %g) imports %s (floor %g)", s.file, level, folder, below)
			}
		}
	}
	h.checkModules(importers, say)
	h.checkStd(say)
	out := make([]string, 0, len(faults))
	for f := range faults {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// own gives the folder of a package of this module.
func (h house) own(imp string) (folder string, ok bool) {
	if imp == h.module {
		return ".", true
	}
	return strings.CutPrefix(imp, h.module+"/")
}

// foreign gives the module of a third-party package, or "" for the standard
// library. What go.mod does not ask for stands as the import path itself.
func (h house) foreign(imp string) string {
	best := ""
	for _, r := range h.reqs {
		if (imp == r.module || strings.HasPrefix(imp, r.module+"/")) && len(r.module) > len(best) {
			best = r.module
		}
	}
	if first, _, _ := strings.Cut(imp, "/"); best == "" && strings.Contains(first, ".") {
		return imp
	}
	return best
}
