// Package floors checks which package imports which: lower floors only, one
// importer for each third-party module, every module in DEPENDENCIES.md. It
// reads the module's files itself and asks neither the go command nor the
// network. It runs as a test and is no part of the program.
package floors

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// plan is floors.txt.
type plan struct {
	floors []floor
	std    []string // packages that may reach the standard library alone
}

type floor struct {
	level   float64
	pattern string // folder, without the "/..."
	below   bool   // covers the folders below too
}

// parsePlan reads floors.txt; the error names the line.
func parsePlan(data []byte) (plan, error) {
	var p plan
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return p, fmt.Errorf("floors.txt: line %d: want a floor and a package", n)
		}
		if fields[0] == "std" {
			p.std = append(p.std, fields[1])
			continue
		}
		level, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return p, fmt.Errorf("floors.txt: line %d: %q is no floor", n, fields[0])
		}
		folder, below := strings.CutSuffix(fields[1], "/...")
		p.floors = append(p.floors, floor{level, folder, below})
	}
	return p, lines.Err()
}

// of gives the floor of a package folder; the longest pattern counts.
func (p plan) of(folder string) (level float64, listed bool) {
	best := -1
	for _, f := range p.floors {
		match := folder == f.pattern || f.below && strings.HasPrefix(folder, f.pattern+"/")
		if match && len(f.pattern) > best {
			best, level, listed = len(f.pattern), f.level, true
		}
	}
	return level, listed
}

// row is a line of the modules table in DEPENDENCIES.md.
type row struct{ module, version, importer string }

// parseLedger reads the table below the heading "## Modules": module, version,
// licence, importing package, reason, names in backticks.
func parseLedger(data []byte) []row {
	var rows []row
	inside := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## ") {
			inside = line == "## Modules"
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !inside || !strings.HasPrefix(line, "| `") || len(cells) < 5 {
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		rows = append(rows, row{cells[0], cells[1], cells[3]})
	}
	return rows
}

// requirement is a module that go.mod asks for.
type requirement struct {
	module, version string
	indirect        bool
}

// parseMod reads the module's path and its requirements from go.mod.
func parseMod(data []byte) (path string, reqs []requirement) {
	block := ""
	for line := range strings.Lines(string(data)) {
		code, comment, _ := strings.Cut(line, "//")
		f := strings.Fields(code)
		switch {
		case len(f) == 0:
			continue
		case len(f) == 2 && f[1] == "(":
			block = f[0]
			continue
		case f[0] == ")":
			block = ""
			continue
		case block != "":
			f = append([]string{block}, f...)
		}
		switch {
		case f[0] == "module" && len(f) == 2:
			path = f[1]
		case f[0] == "require" && len(f) == 3:
			reqs = append(reqs, requirement{f[1], f[2], strings.TrimSpace(comment) == "indirect"})
		}
	}
	return path, reqs
}
