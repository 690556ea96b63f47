// Package html writes a summary as one page that needs nothing else: no server, no
// network, no script (one sorts the tables where there is one). Names from
// traces are escaped, and the page forbids itself to load or to run anything
// but its own style and its own script.
package html

import (
	"crypto/sha256"
	_ "embed" // the page's template, style and script
	"encoding/base64"
	"html/template"
	"io"

	"reel/analyze"
)

//go:embed page.tmpl
var pageText string

//go:embed style.css
var styleText string

//go:embed sort.js
var scriptText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Write writes the page of a document. ops[i] is the operator table of d.Ranks[i];
// the list may be shorter and hold nil. Rows stand in the order of their table.
// The error is that of w.
func Write(w io.Writer, d *analyze.Document, ops []*analyze.OpsReport) error {
	return WriteWith(w, d, ops, nil)
}

// page is what the template shows.
type page struct {
	Kind     string // summary, comparison
	Title    string
	Facts    []string // about the run, below the title
	Figures  []figure
	Message  string // instead of everything else
	Findings []finding
	Parts    []part
	Details  []detail
	Timeline *picture
	Warnings []string
	Files    []string

	Style  template.CSS
	Script template.JS
	Policy string
}

// figure is a number that matters, on a card.
type figure struct {
	Label, Value, Note string
	Bar                *bar
}

// part is a titled part of the page, with any of: a bar with its legend, strips
// of steps, a grid.
type part struct {
	Title, Note string
	Bar         *bar
	Strips      []strip
	Grid        *grid
	Fold        string // the grid is folded away under this heading
}

// detail is one rank of several, folded.
type detail struct {
	Title, Note string
	Parts       []part
}

// finding is a fault in words.
type finding struct {
	Severity, Title, ID, Cost, Where, Remedy string
}

// policy allows the page its own style and script, by their digests.
func policy() string {
	digest := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; img-src data:; style-src " + digest(styleText) + "; script-src " + digest(scriptText)
}
