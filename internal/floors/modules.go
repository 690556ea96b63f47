package floors

import (
	"slices"
	"strings"
)

// checkModules compares go.mod, DEPENDENCIES.md and who imports what.
func (h house) checkModules(importers map[string][]string, say func(string, ...any)) {
	for module, folders := range importers {
		slices.Sort(folders)
		if len(folders) > 1 {
			say("%s is imported by several packages: %s", module, strings.Join(folders, ", "))
		}
		i := slices.IndexFunc(h.ledger, func(r row) bool { return r.module == module })
		switch {
		case i < 0:
			say("%s is not in DEPENDENCIES.md", module)
		case h.ledger[i].importer != folders[0]:
			say("DEPENDENCIES.md says that %s imports %s, but %s does", h.ledger[i].importer, module, folders[0])
		}
	}
	for _, r := range h.reqs {
		if r.indirect {
			continue
		}
		i := slices.IndexFunc(h.ledger, func(l row) bool { return l.module == r.module })
		switch {
		case i < 0:
			say("%s is not in DEPENDENCIES.md", r.module)
		case h.ledger[i].version != r.version:
			say("DEPENDENCIES.md has %s %s, go.mod %s", r.module, h.ledger[i].version, r.version)
		}
	}
	for _, l := range h.ledger {
		if !slices.ContainsFunc(h.reqs, func(r requirement) bool { return r.module == l.module && !r.indirect }) {
			say("%s is in DEPENDENCIES.md but no direct requirement of go.mod", l.module)
		}
	}
}

// checkStd follows the imports of each "std" package, tests aside, and names
// the first third-party module on every way.
func (h house) checkStd(say func(string, ...any)) {
	uses := map[string][]string{} // folder → imports
	for _, s := range h.sources {
		if !s.test {
			uses[s.folder] = append(uses[s.folder], s.imports...)
		}
	}
	for _, root := range h.plan.std {
		seen := map[string]bool{root: true}
		for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
			for _, imp := range uses[queue[0]] {
				folder, own := h.own(imp)
				switch {
				case !own && h.foreign(imp) != "":
					say("%s must build with the standard library alone, but %s imports %s", root, queue[0], imp)
				case own && !seen[folder]:
					seen[folder] = true
					queue = append(queue, folder)
				}
			}
		}
	}
}
