package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/golden"
	"reel/internal/samples"
)

// frameSession is a text trace of an interactive session.
func frameSession(t *testing.T) string {
	t.Helper()
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "analyze", "testdata", "frames", "session.txt")
}

func TestFrames(t *testing.T) {
	trace := frameSession(t)
	at(t, "frames/session", "frames", trace)
	at(t, "frames/follow", "frames", trace, "--frame", "2")
	golden.String(t, "frames/session.csv", good(t, "frames", trace, "--format", "csv"))
	golden.String(t, "frames/session.md", good(t, "frames", trace, "--format", "markdown"))
	valid := validator(t)
	valid("frames", "frames", trace, "--json", "--frames")
	valid("frames", "frames", trace, "--json", "--frame", "2")
}

func TestFramesRefuses(t *testing.T) {
	trace := frameSession(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"frames", trace, "--frame", "99"}, exitFailed, "frame 99: there are frames 0 to 6"},
		{[]string{"frames", trace, "--frame", "-1"}, exitMisuse, "frames are counted from 0"},
		{[]string{"frames", trace, tiny(t), "--frame", "0"}, exitMisuse, "not of 2"},
		{[]string{"frames", tiny(t), "--frame", "0"}, exitFailed, "no present.frame mark"},
	} {
		if r := reel(t, c.args...); r.code != c.code || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, r.code, r.err)
		}
	}
}
