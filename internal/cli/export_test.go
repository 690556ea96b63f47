package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reel/internal/compress"
	"reel/internal/golden"
	"reel/internal/synth"
)

func TestExportHelp(t *testing.T) {
	help := good(t, "export", "--help")
	if !strings.Contains(help, "Examples:\n  reel export") {
		t.Error("export has no example in its help")
	}
	golden.String(t, "help/export.txt", help)
}

// names lists the files under a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != dir {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestExportNames writes every format beside the trace, under the standard names.
func TestExportNames(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace.json")
	madeTrace(t, trace, synth.Options{Steps: 2, Layers: 1, Python: true})
	args := []string{"export", trace}
	for _, f := range exportNames() {
		args = append(args, "--to", f)
	}
	out := good(t, args...)
	want := []string{"activities.parquet", "derived.parquet", "launches.parquet", "ops_rank0.csv", "ops_rank0.reel.json", "ops_rank0.xlsx",
		"profile_rank0.pb.gz", "profiler_out_0.txt", "ranges.parquet", "stacks_cpu_rank0.txt", "stacks_cuda_rank0.txt",
		"summary_rank0.csv", "summary_rank0.html", "summary_rank0.reel.json", "trace.json", "trace_rank0.pftrace",
		"trace_rank0.reel.json.gz", "trace_rank0.speedscope.json"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q\nwant %q", got, want)
	}
	made, err := os.Stat(trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range want {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Size() == 0 || st.Mode() != made.Mode() {
			t.Errorf("%s: %v, %v", name, st, err)
		}
		if name != "trace.json" && !strings.Contains(out, filepath.Join(dir, name)+"  ") {
			t.Errorf("%s is not told of", name)
		}
	}
	// What was made is no trace of the run: the folder still holds one.
	sum := good(t, "summary", dir, "--json")
	if n := strings.Count(sum, `"path":`); n != 1 {
		t.Errorf("the folder holds %d traces", n)
	}
	if r := reel(t, args...); r.code != 1 || !strings.Contains(r.err, "exists; --force overwrites it") {
		t.Errorf("a second export: exit %d, %s", r.code, r.err)
	}
	good(t, append(args, "--force")...)
}

func madeTrace(t *testing.T, path string, o synth.Options) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := synth.Write(f, o); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestExportChrome opens what was exported: plain, gzip and zstd say the same as
// the trace itself.
func TestExportChrome(t *testing.T) {
	dir, trace := t.TempDir(), tiny(t)
	want := good(t, "ops", trace, "--json")
	for _, name := range []string{"a.json", "a.json.gz", "a.json.zst"} {
		path := filepath.Join(dir, "sub", "folder", name)
		good(t, "export", trace, "--to", "chrome", "-o", path)
		if got := good(t, "ops", path, "--json"); got != want {
			t.Errorf("%s: other operators:\n%s\nwant\n%s", name, got, want)
		}
	}
	plain := good(t, "export", trace, "--to", "chrome", "-o", "-")
	if file, _ := os.ReadFile(filepath.Join(dir, "sub", "folder", "a.json")); string(file) != plain {
		t.Error("standard output gets something else than a file")
	}
	if bare := good(t, "export", trace, "--to", "chrome", "--plain", "-o", "-"); strings.Contains(bare, `"cat": "reel"`) || !strings.Contains(plain, `"cat": "reel"`) {
		t.Error("--plain leaves out nothing")
	}
}

// TestExportCut cuts a step, a stage and a time.
func TestExportCut(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace.json")
	madeTrace(t, trace, synth.Options{Steps: 3, Layers: 1, Python: true, Annotations: true, Requests: 2})
	for _, c := range []struct{ flags, has string }{
		{"--step 1", `"steps":[{"request":0,"loop":0,"index":0,`},
		{"--step loop0:2 --request 1", `"steps":[{"request":0,`},
		{"--stage decode", `"stage":"decode"`},
		{"--stage diffuse", `"index":2,`},
		{"--from 1ms --to 40ms", `"ranks":[{`},
		{"--from 1ms", `"ranks":[{`},
		{"--to 5ms", `"ranks":[{`},
	} {
		path := filepath.Join(dir, "cut.json")
		good(t, append([]string{"export", trace, "--to", "chrome", "--force", "-o", path}, strings.Fields(c.flags)...)...)
		if sum := good(t, "summary", path, "--json"); !strings.Contains(sum, c.has) {
			t.Errorf("%s: no %s in %s", c.flags, c.has, sum)
		}
		small, _ := os.Stat(path)
		if all, _ := os.Stat(trace); c.flags != "--from 1ms" && small.Size() > all.Size()*2/3 {
			t.Errorf("%s: %d bytes of %d are left", c.flags, small.Size(), all.Size())
		}
	}
	good(t, "export", trace, "--to", "chrome", "--to", "csv", "--step", "1")
	if got := names(t, dir); !slices.Contains(got, "trace_rank0_step1.reel.json.gz") || !slices.Contains(got, "ops_rank0_step1.csv") {
		t.Errorf("files %q", got)
	}
}

// TestExportRanks puts three ranks together.
func TestExportRanks(t *testing.T) {
	dir := t.TempDir()
	args := []string{"export"}
	for i := range 3 {
		path := filepath.Join(dir, fmt.Sprintf("rank%d.json", i))
		madeTrace(t, path, synth.Options{Steps: 2, Layers: 1, Rank: i, WorldSize: 3, Python: true})
		args = append(args, path)
	}
	good(t, append(args, "--to", "chrome", "-o", filepath.Join(dir, "job.json.gz"))...)
	var doc struct {
		Ranks []struct{ Devices []struct{ ID int64 } }
	}
	if err := json.Unmarshal([]byte(good(t, "summary", filepath.Join(dir, "job.json.gz"), "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Ranks) != 1 || len(doc.Ranks[0].Devices) != 3 || doc.Ranks[0].Devices[2].ID != 20_000_002 {
		t.Errorf("%+v", doc)
	}
	good(t, append(args, "--to", "stacks,xlsx,html", "-o", filepath.Join(dir, "out"))...)
	want := []string{"ops_rank0.xlsx", "ops_rank1.xlsx", "ops_rank2.xlsx", "stacks_cpu_rank0.txt", "stacks_cpu_rank1.txt", "stacks_cpu_rank2.txt",
		"stacks_cuda_rank0.txt", "stacks_cuda_rank1.txt", "stacks_cuda_rank2.txt", "summary.html"}
	if got := names(t, filepath.Join(dir, "out")); !slices.Equal(got, want) {
		t.Errorf("files %q\nwant %q", got, want)
	}
	good(t, append(args, "--to", "chrome", "--from", "1ms", "--to", "9ms", "-o", filepath.Join(dir, "part.json"))...)
}

// TestExportErrors checks messages and exit codes, and that nothing is left behind.
func TestExportErrors(t *testing.T) {
	trace := tiny(t)
	t.Chdir(t.TempDir())
	write(t, "taken.json", "x")
	madeTrace(t, "made.json", synth.Options{Steps: 2, Layers: 1, Python: true})
	if err := os.Mkdir("folder.json", 0o755); err != nil {
		t.Fatal(err)
	}
	before := names(t, ".")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"made.json", 2, "reel export: --to FORMAT is needed: chrome, perfetto, xlsx"},
		{"made.json --to foo", 2, `reel export: invalid argument "foo" for "--to" flag: want one of chrome,`},
		{"absent.json --to chrome", 1, "reel export: absent.json: no such file or directory"},
		{"made.json --to chrome --step x", 2, `reel export: --step "x": want a number from 0 on`},
		{"made.json --to chrome --step 9", 2, "reel export: no step 9 of loop 0 in made.json; it has 2 steps in one request"},
		{"made.json --to chrome --stage foo", 2, `reel export: no stage "foo" in made.json; it has encode`},
		{"made.json --to chrome --stage decode --request 4", 2, `reel export: no stage "decode" in made.json`},
		{"made.json --to chrome --request 4", 2, "reel export: --request goes with --step or --stage"},
		{"made.json --to chrome --step 1 --stage decode", 2, "reel export: --step, --stage and --from … --to exclude each other"},
		{"made.json --to chrome --from 2s --to 1s", 2, "reel export: --from 2.00 s is not before --to 1.00 s"},
		{"made.json --to chrome --from x", 2, "reel export: --from: bad duration"},
		{"made.json --to chrome --from 1h", 2, "reel export: there is nothing in that part of the trace"},
		{"made.json --to chrome -o taken.json", 1, "reel export: taken.json exists; --force overwrites it"},
		{"made.json --to chrome -o made.json --force", 2, "reel export: made.json is what is being read"},
		{"made.json --to stacks -o taken.json", 2, "reel export: taken.json is a file; 2 files go to a folder"},
		{"made.json --to stacks -o -", 2, "reel export: 2 files do not fit standard output"},
		{"made.json --to chrome -o taken.json/x.json", 1, "reel export: "},
		{"made.json --to chrome -o /dev/full", 1, "reel export: write /dev/full: no space left on device"},
		{trace + " --to chrome --roles absent.yaml", 2, "reel export: --roles: open absent.yaml"},
	} {
		r := reel(t, append([]string{"export"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.HasPrefix(r.err, c.want) || r.out != "" {
			t.Errorf("reel export %s: exit %d, %q, %q; want exit %d, %q…", c.args, r.code, r.err, r.out, c.code, c.want)
		}
	}
	if after := names(t, "."); !slices.Equal(before, after) {
		t.Errorf("there were %q, now there are %q", before, after)
	}
}

// TestExportInterrupted ends an export while it writes: nothing is left.
func TestExportInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	o := newOutputs(ctx, false)
	defer o.end()
	err := o.write(filepath.Join(dir, "a", "b", "x.json"), func(f *countingFile) error {
		if _, err := f.Write([]byte("beginning")); err != nil {
			return err
		}
		cancel()
		for range 10_000 { // the file goes although this goes on
			if left, err := os.ReadDir(dir); err == nil && len(left) == 0 {
				return context.Canceled
			}
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	if got := names(t, dir); err == nil && o.commit() == nil || len(got) > 0 {
		t.Errorf("%v; files %q", err, got)
	}
}

// TestOutputs checks that files appear together or not at all.
func TestOutputs(t *testing.T) {
	full := errors.New("no space left on device")
	put := func(text string, err error) func(*countingFile) error {
		return func(f *countingFile) error { _, _ = io.WriteString(f, text); return err }
	}
	for _, c := range []struct {
		name   string
		force  bool
		second error
		want   []string
	}{
		{"good", false, nil, []string{"new", "new/x", "y"}},
		{"second fails", false, full, nil},
	} {
		dir := t.TempDir()
		o := newOutputs(context.Background(), c.force)
		err := o.write(filepath.Join(dir, "new", "x"), put("x", nil))
		if err == nil {
			err = o.write(filepath.Join(dir, "y"), put("y", c.second))
		}
		if err == nil {
			err = o.commit()
		}
		o.end()
		if got := names(t, dir); !errors.Is(err, c.second) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, files %q, want %q", c.name, err, got, c.want)
		}
	}
	dir := t.TempDir()
	o := newOutputs(context.Background(), false)
	defer o.end()
	for _, name := range []string{"x", "y"} {
		if err := o.write(filepath.Join(dir, name), put(name, nil)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "y"), "of another program")
	if err := o.commit(); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("commit: %v", err)
	}
	o.end()
	if got := names(t, dir); !slices.Equal(got, []string{"y"}) {
		t.Errorf("files %q", got)
	}
}

// TestPump checks that all bytes arrive, and errors too.
func TestPump(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 100_000)
	for _, kind := range []compress.Kind{compress.None, compress.Gzip, compress.Zstd} {
		var b bytes.Buffer
		p, err := newPump(context.Background(), &b, kind)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(text); i += 7001 {
			if _, err := p.Write(text[i:min(i+7001, len(text))]); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		z, err := compress.NewReader(kind, &b)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%v: %d bytes of %d, %v", kind, len(got), len(text), err)
		}
	}
	broken := errors.New("broken")
	p, _ := newPump(context.Background(), failing{broken}, compress.None)
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		_, err = p.Write(text)
	}
	if !errors.Is(err, broken) || !errors.Is(p.Close(), broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, _ = newPump(ctx, io.Discard, compress.Gzip)
	if _, err := p.Write(text); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	_ = p.Close() // whatever it says, it ends
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
