package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	in := dir + "/run"
	put(t, in+"/run.json", []byte(`{"schema":"reel.run/1","app":"x","command":["x","--password=`+`hunter2-hunter2","--token","`+apiKey+`"],"ranks":[{"rank":0,"host":"`+host+`","environment":{"WANDB_API_KEY":"abcdef-123456-zz","RANK":"0"},"ended":"2026-01-01T00:00:00Z"}]}`))
	put(t, in+"/.ranks/rank0-1.json", []byte(`{"rank":{"host":"`+host+`"}}`))
	put(t, in+"/stacks.txt", []byte("a;b 1\n"))
	// The name of the host stands in run.json alone, and a secret of the environment in the trace's name.
	put(t, in+"/trace_rank0.json", []byte(`{"traceEvents":[{"ph":"X","name":"`+host+` abcdef-123456-zz","ts":1,"dur":2}]}`))
	recorded(t, in+"/rec-0-1.reel")
	r, err := Run(context.Background(), in, dir+"/out", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run.json", ".ranks/rank0-1.json", "trace_rank0.json", "rec-0-1.reel"} {
		data := read(t, filepath.Join(dir, "out", name))
		nothingLeft(t, data)
		for _, s := range []string{"hunter2", "abcdef-123456-zz"} {
			if bytes.Contains(data, []byte(s)) {
				t.Errorf("%s: %s is left", name, s)
			}
		}
	}
	if data := string(read(t, dir+"/out/run.json")); !json.Valid([]byte(data)) || !strings.Contains(data, `"ended":"2026-01-01T00:00:00Z"`) || !strings.Contains(data, `"--password=[removed: secret]"`) {
		t.Errorf("run.json: %s", data)
	}
	if len(r.LeftOut) != 1 || !strings.HasPrefix(r.LeftOut[0], "stacks.txt: ") {
		t.Errorf("left out: %q", r.LeftOut)
	}
	if _, err := os.Stat(dir + "/out/stacks.txt"); err == nil {
		t.Error("a file that is not known was copied")
	}
	if _, err := Run(context.Background(), in, dir+"/out", Options{Force: true}); err == nil {
		t.Error("a folder was overwritten")
	}
}

// TestFileNames: names of files lose what they tell of hosts and secrets, as run.json
// names them, and two that then are one stay two files.
func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	in := dir + "/run"
	put(t, in+"/run.json", []byte(`{"ranks":[{"host":"`+host+`","environment":{"WANDB_API_KEY":"abcdef-123456-zz"}},{"host":"`+host+`-b"}],"files":[{"path":"trace-`+host+`.json"}]}`))
	for _, name := range []string{"trace-" + host + ".json", "trace-" + host + "-b.json", "abcdef-123456-zz/x.json.gz.json", "plain.json"} {
		put(t, filepath.Join(in, name), []byte(`{"traceEvents":[]}`))
	}
	r, err := Run(context.Background(), in, dir+"/out", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	_ = filepath.WalkDir(dir+"/out", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, strings.TrimPrefix(path, dir+"/out/"))
		}
		return err
	})
	want := "[removed: secret]/x.json.gz.json plain.json run.json trace-[removed: host name]-2.json trace-[removed: host name].json"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("files %s\nwant  %s", s, want)
	}
	if data := string(read(t, dir+"/out/run.json")); !strings.Contains(data, `"path":"trace-[removed: host name].json"`) {
		t.Errorf("run.json: %s", data)
	}
	told := 0
	for _, x := range r.Removed {
		if x.Place == "names of files" {
			told += x.Count
		}
	}
	if told != 3 {
		t.Errorf("%d removals from names of files are told", told)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir+"/a.json", []byte(`{"traceEvents":[]}`))
	there := put(t, dir+"/there.json", []byte("precious"))
	unknown := put(t, dir+"/x.csv", []byte("a,b\n"))
	rep := put(t, dir+"/x.nsys-rep", []byte("\x00\x01binary"))
	for _, c := range []struct{ in, out, want string }{
		{in, there, "exists; --force overwrites it"}, {in, in, "both what to read and what to write"}, {dir + "/absent", dir + "/o", "no such file"},
		{unknown, dir + "/o", "not a file that can be redacted"}, {rep, dir + "/o", "nsys export"}, {put(t, dir+"/empty/x.txt", nil)[:len(dir)+6], dir + "/o", "no file of this folder"},
	} {
		if _, err := Run(context.Background(), c.in, c.out, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", c.in, c.out, err, c.want)
		}
	}
	if string(read(t, there)) != "precious" {
		t.Error("a file was overwritten")
	}
	if _, err := Run(context.Background(), in, there, Options{Force: true}); err != nil || string(read(t, there)) != `{"traceEvents":[]}` {
		t.Errorf("force: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, export(t, dir+"/e.sqlite"), dir+"/o", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestVariables: settings are no secrets, whatever they are called.
func TestVariables(t *testing.T) {
	f := newFacts()
	for name, value := range map[string]string{"AUTH_MODE": "internal", "TOKENIZERS_PARALLELISM": "false", "API_KEY": "", "TOKEN_LIMIT": "100000", "PATH": "/usr/bin:/bin",
		"SECRET_FILE": "/run/secrets/x", "USER": "dev", "LOGNAME": "root", "HOSTNAME": "4d3c", "PWD": "/home/x", "PASSWORD": "abc"} {
		f.variable(name, value)
	}
	if len(f.secrets) > 0 || len(f.words) != 1 {
		t.Errorf("%v, %v", f.secrets, f.words)
	}
	for name, value := range map[string]string{"DB_PASSWORD": "correcthorse", "X_AUTH": "abc-123", "WHATEVER": "hf_abcdefghijklmnop", "github-token": "abcdefgh", "SESSION_KEY": "k3y_k3y"} {
		f.variable(name, value)
		if !f.secrets[value] {
			t.Errorf("%s=%s is no secret", name, value)
		}
	}
}

func TestPatterns(t *testing.T) {
	f := newFacts()
	f.word(Host, "node7.cluster")
	f.word(User, "root") // everybody's
	for text, want := range map[string]string{
		"aten::mm": "aten::mm", "root": "root", "node77.clusters xnode7": "node77.clusters xnode7", "at node7.cluster:80": "at [removed: host name]:80",
		"git clone https://bob:s3cr3t@example.org/x":       "git clone https://[removed: secret]@example.org/x",
		"curl -H 'Authorization: Bearer abcdefgh12345678'": "curl -H 'Authorization: [removed: secret]'",
		"--hf-token=abc123def --steps=4":                   "--hf-token=[removed: secret] --steps=4",
		"PASSWORD=hunter-2 python":                         "PASSWORD=[removed: secret] python",
		`C:\Users\Bob\x.py`:                                `C:\Users\user\x.py`,
		"/Users/bob/x.py(3): f":                            "/Users/user/x.py(3): f",
		"/home/user/x":                                     "/home/user/x",
		"sk-proj-abcdefghijklmnop":                         "[removed: secret]",
		"AKIAABCDEFGHIJKLMNOP":                             "[removed: secret]",
		"token = 7":                                        "token = 7", "tokenizer: bert": "tokenizer: bert", "key=value": "key=value", "void sk_kernel<4>(int)": "void sk_kernel<4>(int)",
		"forward tokens 123456": "forward tokens 123456", "A=b\x00C=d\x00": "[removed: environment]", "a\x00b": "a\x00b",
	} {
		got, _ := f.scrub([]byte(text), func() string { return "" }, tally{})
		if string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		again, _ := f.scrub(got, func() string { return "" }, tally{})
		if string(again) != want {
			t.Errorf("%q: once more %q", text, again)
		}
	}
}
