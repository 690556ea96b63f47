package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
)

// goFile finds the denoise loops of a Go source.
func goFile(path string) ([]Loop, error) {
	st, err := os.Stat(path)
	if err == nil && st.Size() > maxSource {
		err = fmt.Errorf("%d bytes; at most %d are read", st.Size(), maxSource)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return goSource(path, data)
}

// goSource is goFile with the source's content.
func goSource(path string, data []byte) ([]Loop, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	silent := map[int]string{} // by the line that it is for
	for _, group := range file.Comments {
		for _, c := range group.List {
			if _, reason, ok := strings.Cut(c.Text, marker); ok {
				line := set.Position(c.Pos()).Line
				silent[line], silent[line+1] = reason, reason
			}
		}
	}
	g := &goLoops{set: set, path: path, silent: silent}
	ast.Inspect(file, func(n ast.Node) bool {
		switch l := n.(type) {
		case *ast.RangeStmt:
			g.loop(l, l.Body, goNames(l.Key, l.Value), l.X)
		case *ast.ForStmt:
			vars := map[string]bool{}
			if a, ok := l.Init.(*ast.AssignStmt); ok {
				vars = goNames(a.Lhs...)
			}
			g.loop(l, l.Body, vars, l.Cond)
		}
		return true
	})
	return g.found, nil
}

type goLoops struct {
	set    *token.FileSet
	path   string
	silent map[int]string
	found  []Loop
}

var (
	// verbs are names of calls that take a step; topic is what tells that the step
	// is one of denoising.
	goVerbs = regexp.MustCompile(`^(step|Step|denoise\w*|Denoise\w*|Forward|forward|Predict\w*|predict\w*)$`)
	goTopic = regexp.MustCompile(`(?i)timestep|sigma|denois|sched|solver|unet|transformer|\bdit\b|diffus|latent|noise`)
)

func (g *goLoops) loop(n ast.Node, body *ast.BlockStmt, vars map[string]bool, over ast.Expr) {
	seen := goIterator(over)
	call := goStep(body, vars)
	if call == "" || seen == "" && !goTopic.MatchString(call+" "+goText(over)) {
		return
	}
	if seen == "" {
		seen = goRange(body)
	}
	line := g.set.Position(n.Pos()).Line
	l := Loop{File: g.path, Line: line, Evidence: "calls " + call, Seen: seen}
	if reason, ok := g.silent[line]; ok {
		l.Silenced = reasonOf(reason)
	}
	g.found = append(g.found, l)
}

// reasonOf is the text of a silencing comment; without one it silences nothing.
func reasonOf(text string) string {
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(text), ":*/ "))
}

// goIterator is the step iterator that a loop ranges over.
func goIterator(x ast.Expr) string {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return ""
	}
	if s, ok := c.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Steps" || s.Sel.Name == "StepsOf") {
		return goText(s)
	}
	return ""
}

// goRange is a range of a profiler around a step, with a name that says so.
func goRange(body *ast.BlockStmt) (seen string) {
	ast.Inspect(body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := c.Fun.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Range" && s.Sel.Name != "RangeAs" && s.Sel.Name != "StartRegion" {
			return true
		}
		for _, arg := range c.Args {
			if b, ok := arg.(*ast.BasicLit); ok && strings.Contains(strings.ToLower(b.Value), "step") {
				seen = goText(s)
			}
		}
		return true
	})
	return seen
}

func goNames(list ...ast.Expr) map[string]bool {
	out := map[string]bool{}
	for _, x := range list {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
			out[id.Name] = true
		}
	}
	return out
}

// goStep is the call in a loop's body that takes a step, with a variable of the loop
// among its arguments. Inner loops and functions speak for themselves.
func goStep(body *ast.BlockStmt, vars map[string]bool) (call string) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch c := n.(type) {
		case *ast.RangeStmt, *ast.ForStmt, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if call == "" && goVerbs.MatchString(lastName(c.Fun)) && mentions(c.Args, vars) {
				call = goText(c)
			}
		}
		return true
	})
	return call
}

func lastName(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func mentions(args []ast.Expr, vars map[string]bool) (yes bool) {
	for _, a := range args {
		ast.Inspect(a, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			yes = yes || ok && vars[id.Name]
			return true
		})
	}
	return yes
}

// goText is the names of an expression, as evidence: "m.Forward(x, t)".
func goText(x ast.Expr) string {
	switch x := x.(type) {
	case nil:
		return ""
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return goText(x.X) + "." + x.Sel.Name
	case *ast.CallExpr:
		var args []string
		for _, a := range x.Args {
			args = append(args, goText(a))
		}
		return goText(x.Fun) + "(" + strings.Join(args, ", ") + ")"
	case *ast.IndexExpr:
		return goText(x.X) + "[" + goText(x.Index) + "]"
	case *ast.SliceExpr:
		return goText(x.X) + "[…]"
	case *ast.UnaryExpr:
		return x.Op.String() + goText(x.X)
	case *ast.BinaryExpr:
		return goText(x.X) + " " + x.Op.String() + " " + goText(x.Y)
	case *ast.BasicLit:
		return x.Value
	case *ast.ParenExpr:
		return goText(x.X)
	case *ast.StarExpr:
		return goText(x.X)
	}
	return "…"
}
