package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"reel/formats"
)

// release is the version of the source; the commit is known to builds in a
// checkout.
const release = "0.1.0-dev"

// versionDoc is the document reel.version/1.
type versionDoc struct {
	Schema   string       `json:"schema"`
	Version  string       `json:"version"`
	Commit   string       `json:"commit,omitempty"`
	Modified bool         `json:"modified,omitempty"` // built from a checkout with changes
	Time     string       `json:"commit_time,omitempty"`
	Go       string       `json:"go"`
	Platform string       `json:"platform"`
	Formats  []formatInfo `json:"formats"`
}

type formatInfo struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Suffixes []string `json:"suffixes"`
}

func (a *app) versionCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		GroupID: "more",
		Short:   "version, commit, Go version, formats",
		Example: "  reel version\n  reel version --json",
		Args:    a.noArgs,
		RunE: a.run(func(c *cobra.Command, _ []string) error {
			v := version()
			if asJSON {
				e := json.NewEncoder(a.Out)
				e.SetEscapeHTML(false)
				return e.Encode(v)
			}
			return a.printVersion(v)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON document (reel.version/1)")
	return c
}

func version() versionDoc {
	v := versionDoc{Schema: "reel.version/1", Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			case "vcs.time":
				v.Time = s.Value
			}
		}
	}
	for _, f := range formats.List() {
		v.Formats = append(v.Formats, formatInfo{f.Name, f.Title, f.Suffixes})
	}
	return v
}

func (a *app) printVersion(v versionDoc) error {
	commit := "commit unknown"
	if v.Commit != "" {
		commit = "commit " + v.Commit[:min(12, len(v.Commit))]
		if v.Modified {
			commit += " with changes"
		}
	}
	_, err := fmt.Fprintf(a.Out, "reel %s (%s)\n%s, %s\nreads: %s\n", v.Version, commit, v.Go, v.Platform, formats.Known())
	return err
}
