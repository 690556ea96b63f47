package query

import (
	"fmt"
	"strings"
)

// SchemaText documents the tables, views and recipes for a terminal.
func SchemaText() string {
	var b strings.Builder
	b.WriteString("Times are nanoseconds; those that are starts and ends count from the run's first event.\nIds count through all ranks, so that they join without the rank.\n")
	for _, t := range tables() {
		fmt.Fprintf(&b, "\n%s: %s\n", t.name, t.doc)
		for _, c := range t.cols {
			fmt.Fprintf(&b, "  %-11s %-8s %s%s\n", c.name, c.kind, c.doc, found(c))
		}
	}
	b.WriteString("\nColumns marked * are found by their value without a scan, and start_ns by its bounds.\n")
	for _, v := range views() {
		fmt.Fprintf(&b, "\n%s (view): %s\n%s\n", v.name, v.doc, indented(v.sql))
	}
	b.WriteString("\nRecipes (reel query PATH --recipe NAME):\n")
	for _, r := range Recipes() {
		fmt.Fprintf(&b, "\n%s: %s\n%s\n", r.Name, r.Title, indented(r.SQL))
	}
	return b.String()
}

// SchemaMarkdown is the same for a page of documentation.
func SchemaMarkdown() string {
	var b strings.Builder
	b.WriteString("## Tables\n")
	for _, t := range tables() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| column | type | |\n| --- | --- | --- |\n", t.name, t.doc)
		for _, c := range t.cols {
			fmt.Fprintf(&b, "| `%s`%s | %s | %s |\n", c.name, found(c), strings.ToLower(c.kind), c.doc)
		}
	}
	b.WriteString("\n## Views\n")
	for _, v := range views() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s\n", v.name, v.doc, indented(v.sql))
	}
	b.WriteString("\n## Recipes\n")
	for _, r := range Recipes() {
		fmt.Fprintf(&b, "\n### %s\n\n%s:\n\n%s\n", r.Name, r.Title, indented(r.SQL))
	}
	return b.String()
}

// found marks the columns by whose value rows are found.
func found(c column) string {
	if c.of != nil {
		return " *"
	}
	return ""
}

func indented(sql string) string {
	return "    " + strings.ReplaceAll(strings.Trim(sql, "\n"), "\n", "\n    ")
}
