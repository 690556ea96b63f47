package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExportTimes cuts ranks by their common clock, also where one of them has
// none and begins with the others.
func TestExportTimes(t *testing.T) {
	dir := t.TempDir()
	paths := make([]string, 0, 3)
	for name, base := range map[string]string{"first": `"baseTimeNanoseconds":1700000000000000000,`, "late": `"baseTimeNanoseconds":1700000000000500000,`, "lost": ""} {
		path := filepath.Join(dir, name+".json")
		write(t, path, `{`+base+`"traceEvents":[{"ph":"X","cat":"cpu_op","name":"`+name+`","pid":1,"tid":1,"ts":1000,"dur":5}]}`)
		paths = append(paths, path)
	}
	r := reel(t, append([]string{"export", "--to", "chrome", "--from", "200us", "-o", "-"}, paths...)...)
	if r.code != 0 || !strings.Contains(r.out, `"late"`) || strings.Contains(r.out, `"first"`) || strings.Contains(r.out, `"lost"`) {
		t.Errorf("exit %d, %s\n%s", r.code, r.err, r.out)
	}
}
