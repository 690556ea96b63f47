package rundir

import (
	"os"
	"slices"
	"testing"
	"time"
)

func TestScan(t *testing.T) {
	f := folder(t)
	for _, name := range []string{"rec-0-1.reel", "session-1/trace_rank0.json.gz", ".hidden/x.reel", ".x.tmp", "run.json", "a/b/c/d/deep.reel", "notes.md"} {
		dir := f.Path() + "/" + name
		if err := os.MkdirAll(dir[:len(dir)-len(name[lastSlash(name):])], 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", f.Path()+"/trace_link.json"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 2 { // the second time nothing is listed again
		got = nil
		for _, a := range f.Scan() {
			got = append(got, string(a.Kind)+" "+string(a.Role)+" "+a.Path)
		}
	}
	slices.Sort(got)
	if want := []string{"other derived notes.md", "recording source rec-0-1.reel", "trace source session-1/trace_rank0.json.gz"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func lastSlash(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '/' {
			return i
		}
	}
	return 0
}

// TestLaunchPart: the launcher's note stands beside those of the ranks, and what it
// calls the run counts.
func TestLaunchPart(t *testing.T) {
	f := folder(t)
	code := 137
	l := Launch{Backend: "own", Command: []string{"python", "x.py"}, ExitCode: &code, Signal: "SIGKILL", Started: time.Unix(1, 0), Warnings: []string{"w"}}
	if err := f.Write(Info{App: "worker", World: 2}, Rank{Rank: 1, PID: 7, State: "done"}); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteLaunch(Info{App: "x"}, l); err != nil {
		t.Fatal(err)
	}
	run, err := Read(f.Path())
	if err != nil {
		t.Fatal(err)
	}
	if run.App != "x" || run.World != 2 || len(run.Ranks) != 1 || run.Launch == nil || *run.Launch.ExitCode != 137 || !slices.Equal(run.Warnings, []string{"w"}) {
		t.Errorf("%+v", run)
	}
}

func TestKindOf(t *testing.T) {
	for name, want := range map[string]string{"rec-0-1.reel": "recording source", "a/nsys-h-1.2.nsys-rep": "nsys-report source", "x.sqlite": "nsys-export source",
		"ops_rank0.xlsx": "ops derived", "stacks_cuda_rank1.txt": "stacks-cuda derived", "stacks_cpu_rank1.txt": "stacks-cpu derived", "memory_snapshot_rank0.pickle": "memory source",
		"profiler_out_0.txt": "profiler-out derived", "stats.json": "stats source", "trace_rank0.reel.json": "trace derived", "host.1.pt.trace.json.gz": "trace source",
		"TRACE_RANK0.JSON": "trace source", "clip.mp4": "other derived"} {
		if k, r := KindOf(name); string(k)+" "+string(r) != want {
			t.Errorf("%s: %s %s, want %s", name, k, r, want)
		}
	}
}
