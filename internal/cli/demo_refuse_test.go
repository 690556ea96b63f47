package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDemoRefusesEarly: what cannot be made or written is refused before work is done for
// it, and leaves no run behind.
func TestDemoRefusesEarly(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, want string }{
		{"--size 63x64", "multiples of 16"},
		{"--frames 2", "multiple of 4"},
		{"--pipeline other", "two-stage"},
		{"-o clip.webp", ".gif"},
		{"--size 2048x2048", "--scale"},
		{"--scale 64 --size 512x512", "--scale"},
		{"--pipeline streaming --blocks 9000000000 --size 1024x1024", "--scale"},
		{"--image .", "a file is wanted"},
	} {
		r := reel(t, append([]string{"demo"}, strings.Fields(c.args)...)...)
		if r.code != exitMisuse || !strings.Contains(r.err, c.want) {
			t.Errorf("%s: exit %d: %s", c.args, r.code, r.err)
		}
		if left, _ := filepath.Glob("artifacts/profiles/*"); len(left) > 0 {
			t.Errorf("%s: left %v", c.args, left)
		}
	}
	// A folder that the user named stays.
	if r := reel(t, "demo", "--size", "63x64", "--report-path", "mine"); r.code != exitMisuse || strings.Contains(r.err, "was recorded") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	if _, err := os.Stat("mine"); err != nil {
		t.Error(err)
	}
}
