package pipeline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryLoopIsCounted reads the sources of Lantern and of the examples: a loop
// that steps a denoiser ranges over rec.Steps or rec.StepsOf, or no profiler would
// see it. The bound below keeps the test honest: one that finds no loop proves
// nothing.
func TestEveryLoopIsCounted(t *testing.T) {
	const least = 6
	found := 0
	for _, root := range []string{"..", "../../examples"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			for _, l := range denoiseLoops(file) {
				found++
				if !l.counted {
					t.Errorf("%s: this loop steps a denoiser and does not range over rec.Steps", files.Position(l.at))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < least {
		t.Errorf("%d denoise loops found, at least %d are known: the search is blind", found, least)
	}
}

type denoiseLoop struct {
	at      token.Pos
	counted bool
}

// denoiseLoops finds loops whose body steps a denoiser: by a method step, denoise or
// Forward with an index or timestep of the loop among its arguments, or by a
// scheduler's Step.
func denoiseLoops(file *ast.File) (out []denoiseLoop) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch l := n.(type) {
		case *ast.RangeStmt:
			if vars := names(l.Key, l.Value); stepsIn(l.Body, vars) {
				out = append(out, denoiseLoop{l.Pos(), iterator(l.X)})
			}
		case *ast.ForStmt:
			vars := map[string]bool{}
			if a, ok := l.Init.(*ast.AssignStmt); ok {
				vars = names(a.Lhs...)
			}
			if stepsIn(l.Body, vars) {
				out = append(out, denoiseLoop{l.Pos(), false})
			}
		}
		return true
	})
	return out
}

// iterator reports whether a loop ranges over rec.Steps(…) or rec.StepsOf(…).
func iterator(x ast.Expr) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && (s.Sel.Name == "Steps" || s.Sel.Name == "StepsOf") && isName(s.X, "rec")
}

func isName(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

func names(list ...ast.Expr) map[string]bool {
	out := map[string]bool{}
	for _, x := range list {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
			out[id.Name] = true
		}
	}
	return out
}

// stepsIn reports whether a loop's body calls a denoiser's step with one of the loop's
// variables. Inner loops speak for themselves.
func stepsIn(body *ast.BlockStmt, vars map[string]bool) (yes bool) {
	verbs := map[string]bool{"step": true, "denoise": true, "Denoise": true, "Forward": true, "Step": true, "denoiseStep": true}
	ast.Inspect(body, func(n ast.Node) bool {
		switch c := n.(type) {
		case *ast.RangeStmt, *ast.ForStmt:
			return false
		case *ast.CallExpr:
			name := ""
			switch f := c.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				name = f.Name
			}
			for _, arg := range c.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					id, ok := n.(*ast.Ident)
					yes = yes || ok && verbs[name] && vars[id.Name]
					return true
				})
			}
		}
		return true
	})
	return yes
}

// TestGuardSees: the search finds a loop that nobody counts.
func TestGuardSees(t *testing.T) {
	src := `package p
func f(ctx context.Context) {
	for i := range rec.Steps(ctx, 3) { x.step(i) }
	for i := 0; i < 3; i++ { y = m.Forward(x, ts[i:i+1]) }
	for _, t := range s.Timesteps { x = sched.Step(o, t, x) }
	for i := range blocks { x = layer(x, i) }
}`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := denoiseLoops(file)
	if len(got) != 3 || !got[0].counted || got[1].counted || got[2].counted {
		t.Errorf("%+v", got)
	}
}
