package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

const (
	defaultWidth = 80
	minWidth     = 40
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is how many cells a line of the output may take: what COLUMNS says, or
// the terminal, or 80.
func (a *app) width() int {
	if n, err := strconv.Atoi(a.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, minWidth)
	}
	if f, ok := a.Out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, minWidth)
		}
	}
	return defaultWidth
}

// color reports whether the output may have colours: on a terminal that has
// them, unless NO_COLOR is set.
func (a *app) color() bool {
	return isTerminal(a.Out) && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}
