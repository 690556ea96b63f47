package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLint(t *testing.T) {
	schema := schemas(t)["lint"]
	t.Chdir(t.TempDir())
	source := "package p\n\nfunc f() {\n\tfor i, t := range timesteps {\n\t\tx = scheduler.Step(x, t, i)\n\t}\n\tfor i := range rec.Steps(ctx, 3) {\n\t\tx = unet.Forward(x, i)\n\t}\n}\n"
	if err := os.WriteFile("p.go", []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	r := reel(t, "lint", "p.go")
	if r.code != exitGate || !strings.Contains(r.out, "p.go:4: calls scheduler.Step(x, t, i): no profiler sees its steps") || strings.Contains(r.out, "p.go:7") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	if r := reel(t, "lint", "--all", "--format", "csv", "."); r.code != exitGate || !strings.Contains(r.out, "p.go,7,") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	check(t, schema, []string{"lint"}, reel(t, "lint", "--json", "--all", ".").out)
	if err := os.WriteFile("p.go", []byte(strings.Replace(source, "\tfor i, t", "\t// reel: uninstrumented a test\n\tfor i, t", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := reel(t, "lint", "p.go"); r.code != exitOK {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	if r := reel(t, "lint"); r.code != exitMisuse {
		t.Errorf("exit %d", r.code)
	}
	if r := reel(t, "lint", filepath.Join("no", "where")); r.code != exitFailed {
		t.Errorf("exit %d", r.code)
	}
}
