//go:build unix

package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNsysOwnOptions: what the user says to nsys comes once, in whatever form it is
// written, and a capture range of theirs does not end the command.
func TestNsysOwnOptions(t *testing.T) {
	s := newScene(t, "nsys", "say")
	const most = "profile --trace=cuda,nvtx,osrt,vulkan --sample=none --cpuctxsw=none --cuda-event-trace=false --cuda-graph-trace=node --cuda-flush-interval=10000 --kill=none --wait=primary --discard-environment=true"
	const app = " BIN/say 5"
	for args, want := range map[string]string{
		"-tcuda -snone":                      "profile" + strings.TrimPrefix(most, "profile --trace=cuda,nvtx,osrt,vulkan --sample=none") + " --output=FOLDER/nsys-%h-%p --force-overwrite=true -tcuda -snone",
		"-f true":                            " --output=FOLDER/nsys-%h-%p -f true",
		"--force-overwrite=false":            " --output=FOLDER/nsys-%h-%p --force-overwrite=false",
		"--capture-range=cudaProfilerApi":    most + " --capture-range-end=repeat --output=FOLDER/nsys-%h-%p --force-overwrite=true --capture-range=cudaProfilerApi",
		"-c nvtx":                            most + " --capture-range-end=repeat --output=FOLDER/nsys-%h-%p --force-overwrite=true -c nvtx",
		"-cnvtx --capture-range-end=stop":    most + " --output=FOLDER/nsys-%h-%p --force-overwrite=true -cnvtx --capture-range-end=stop",
		"--capture-range none --stats=false": most + " --output=FOLDER/nsys-%h-%p --force-overwrite=true --capture-range none --stats=false",
	} {
		r, err := s.run(Options{Argv: []string{"say", "5"}, Backend: NewNsys("", strings.Fields(args)), Force: true}, fakeRanges+"=1")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.profiled(t, r); !strings.HasSuffix(got, want+app) || r.Code != 5 || len(r.Nothing) > 0 {
			t.Errorf("%s: exit code %d, %q\n got %s\nwant %s", args, r.Code, r.Nothing, got, want+app)
		}
	}
	r, err := s.run(Options{Argv: []string{"say", "5"}, Backend: NewNsys("", []string{"-cnvtx"})})
	if err != nil || len(r.Nothing) == 0 || !strings.Contains(strings.Join(r.Nothing, "\n"), "the range was never entered; nsys knows registered names alone") {
		t.Errorf("%v, %+v", err, r)
	}
	t.Chdir(t.TempDir())
	for _, args := range []string{"--output=x", "--output x", "-o x", "-ox", "-o=x"} {
		misused := new(Misuse)
		_, err := s.run(Options{Argv: []string{"say", "0"}, Backend: NewNsys("", strings.Fields(args))})
		if left, _ := os.ReadDir("."); !errors.As(err, &misused) || !strings.Contains(misused.Message, "--report-path") || len(left) > 0 {
			t.Errorf("%s: %v, made %v", args, err, left)
		}
	}
}

// TestNsysPercent: a folder's name is nothing that nsys fills.
func TestNsysPercent(t *testing.T) {
	s := newScene(t, "nsys", "say")
	r, err := s.run(Options{Argv: []string{"say", "0"}, Backend: NewNsys("", nil), Report: "100%p of%h/50%%/"})
	if err != nil {
		t.Fatal(err)
	}
	if reports, _ := filepath.Glob("100%p of%h/50%%/nsys-node1-*.nsys-rep"); len(reports) != 1 || len(r.Nothing) > 0 {
		t.Errorf("%q, %q", reports, r.Nothing)
	}
}
