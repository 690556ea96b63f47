package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/synth"
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

// TestExportSomeRanks cuts a stage that one rank alone has.
func TestExportSomeRanks(t *testing.T) {
	dir := t.TempDir()
	all, some := filepath.Join(dir, "rank0.json"), filepath.Join(dir, "rank1.json")
	madeTrace(t, all, synth.Options{Steps: 2, Layers: 1, Python: true})
	write(t, some, `{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1000,"dur":5}]}`)
	r := reel(t, "export", all, some, "--to", "chrome", "--stage", "decode", "-o", filepath.Join(dir, "decode.json"))
	if r.code != 0 || !strings.Contains(r.err, `no stage "decode" in `+some) || !strings.Contains(r.err, "nothing of it is written") || strings.Contains(r.err, "rank0.json") {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
	got := good(t, "summary", filepath.Join(dir, "decode.json"), "--json")
	if !strings.Contains(got, `"stage":"decode"`) || strings.Contains(got, `"stage":"encode"`) {
		t.Errorf("%s", got)
	}
	if r := reel(t, "export", some, "--to", "chrome", "--stage", "decode", "-o", "-"); r.code != 2 {
		t.Errorf("no rank has it: exit %d, %s", r.code, r.err)
	}
}
