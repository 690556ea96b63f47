package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/golden"
	"reel/internal/samples"
)

// result is what a run of the program left.
type result struct {
	out, err string
	code     int
}

// reel runs the program 80 cells wide; arguments may begin with VARIABLE=value.
func reel(t testing.TB, args ...string) result {
	t.Helper()
	env := map[string]string{"COLUMNS": "80", "GOGC": "100"} // a set GOGC leaves the tests' collector alone
	for len(args) > 0 {
		k, v, ok := strings.Cut(args[0], "=")
		if !ok || k != strings.ToUpper(k) {
			break
		}
		env[k], args = v, args[1:]
	}
	var out, errs bytes.Buffer
	code := Run(context.Background(), args, IO{Out: &out, Err: &errs, Getenv: func(k string) string { return env[k] }})
	return result{out.String(), errs.String(), code}
}

// good is reel, which must succeed and say nothing on stderr.
func good(t testing.TB, args ...string) string {
	t.Helper()
	r := reel(t, args...)
	if r.code != 0 || r.err != "" {
		t.Fatalf("reel %s: exit %d, %s", strings.Join(args, " "), r.code, r.err)
	}
	return r.out
}

// tiny is the trace that the repository ships.
func tiny(t testing.TB) string {
	t.Helper()
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "examples", "traces", "tiny_dit.json.gz")
}

func TestHelp(t *testing.T) {
	golden.String(t, "help/reel.txt", good(t))
	for _, verb := range []string{"summary", "doctor", "diff", "ops", "check", "summarize", "merge", "version"} {
		help := good(t, verb, "--help")
		if !strings.Contains(help, "Examples:\n  reel "+verb) {
			t.Errorf("%s has no example in its help", verb)
		}
		golden.String(t, "help/"+verb+".txt", help)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if !strings.Contains(good(t, "completion", shell), "reel") {
			t.Errorf("no completion for %s", shell)
		}
	}
}

func TestErrors(t *testing.T) {
	trace := tiny(t)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"empty.json": "", "notes.txt": "hello\n", "list.json": "[]", "cfg.json": `{"a":1}`,
		"db.sqlite": "SQLite format 3\x00 and more", "roles.yaml": "rules: [{on: moon, role: step, match: [x]}]", "part": `{"schema":"reel.partial/9"}`} {
		write(t, name, text)
	}
	if err := os.Mkdir("none", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"bogus", 2, `reel: no verb "bogus"; a trace is opened by 'reel summary bogus'`},
		{"summry", 2, `reel: no verb "summry"; did you mean summary?`},
		{"summary --nope", 2, "reel summary: unknown flag: --nope"},
		{"summary", 2, "reel summary: no PATH given, and no run with a trace under artifacts/profiles"},
		{"summary absent.json", 1, "reel summary: absent.json: no such file or directory"},
		{"summary empty.json", 1, "reel summary: empty.json: the file is empty"},
		{"summary notes.txt", 1, "reel summary: notes.txt: no trace that Reel knows; it reads: PyTorch (Kineto) trace (.json,"},
		{"summary list.json", 1, "reel summary: kineto: list.json: none of its 0 list items is an event"},
		{"summary cfg.json", 1, `reel summary: kineto: cfg.json: it has no list "traceEvents"`},
		{"summary db.sqlite", 1, "reel summary: nsys: db.sqlite: not an SQLite database"},
		{"summary none", 1, "reel summary: none: no trace file in this folder"},
		{"summary --json --format csv x", 2, "reel summary: --json and --format csv contradict each other"},
		{"summary --format xml x", 2, `reel summary: --format "xml": want text, json, csv, markdown`},
		{"summary --roles absent.yaml " + trace, 2, "reel summary: --roles: open absent.yaml: no such file"},
		{"summary --roles roles.yaml " + trace, 2, `reel summary: --roles roles.yaml: role table: rule 1: on: "moon"`},
		{"ops --by foo x", 2, `reel ops: --by "foo": want name, shape or stack`},
		{"ops --sort foo x", 2, `reel ops: --sort: unknown column "foo"`},
		{"ops --limit -1 x", 2, "reel ops: --limit and --calls cannot be negative"},
		{"version x", 2, `reel version: takes no arguments, got "x"`},
		{"summarize x", 2, "reel summarize: -o FILE is needed"},
		{"summarize " + trace + " -o cfg.json", 1, "reel summarize: cfg.json exists; --force overwrites it"},
		{"merge", 2, "reel merge: name the files that 'reel summarize' wrote"},
		{"merge " + trace, 1, "reel merge: " + trace + ": partial summary: "},
		{"merge part", 1, "reel merge: part: partial summary: reel.partial/9 is newer than this Reel"},
		{"check absent.json", 1, ""},
	} {
		r := reel(t, strings.Fields(c.args)...)
		if r.code != c.code || !strings.HasPrefix(r.err, c.want) {
			t.Errorf("reel %s: exit %d, %q; want exit %d, %q…", c.args, r.code, r.err, c.code, c.want)
		}
		if r.out != "" && !strings.HasPrefix(c.args, "check") {
			t.Errorf("reel %s prints to stdout: %q", c.args, r.out)
		}
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestInterrupted ends a run before it is done.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	code := Run(ctx, []string{"summary", tiny(t)}, IO{Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
	if code != 130 || errs.String() != "reel summary: interrupted\n" || out.Len() > 0 {
		t.Errorf("exit %d, stderr %q, stdout %q", code, errs.String(), out.String())
	}
}

func TestVersion(t *testing.T) {
	if v := good(t, "version"); !strings.HasPrefix(v, "reel "+release+" (") || !strings.Contains(v, "go1.") || !strings.Contains(v, "reads: PyTorch (Kineto) trace") {
		t.Errorf("version says %q", v)
	}
}

// TestCheckAbsent: a wrong name among others is one unreadable file.
func TestCheckAbsent(t *testing.T) {
	r := reel(t, "check", tiny(t), filepath.Join(t.TempDir(), "none.json"))
	if r.code != 1 || !strings.Contains(r.out, "tiny_dit.json.gz: sound") || !strings.Contains(r.out, "none.json: unreadable") {
		t.Errorf("%+v", r)
	}
}
