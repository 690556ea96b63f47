//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/samples"
)

// standInNsys makes an nsys that runs the command, leaves two reports, and exports all, or
// all but the second, as the file sample.
func standInNsys(t *testing.T, sample string, whole bool) string {
	t.Helper()
	fails := "*.2.nsys-rep"
	if whole {
		fails = "none"
	}
	path := filepath.Join(t.TempDir(), "nsys")
	script := `#!/bin/sh
case "$1 $2" in
"--version ") echo "NVIDIA Nsight Systems version 2026.1.1"; exit ;;
"profile --help") exit 1 ;;
esac
verb=$1
while shift; case $1 in -*) true ;; *) false ;; esac; do
	case $1 in --output=*) out=${1#--output=} ;; esac
done
if [ $verb = profile ]; then
	"$@"
	echo report >"$out.1.nsys-rep"
	echo report >"$out.2.nsys-rep"
	exit
fi
case $1 in ` + fails + `) echo half >"$out"; echo "No space left on device" >&2; exit 1 ;; esac
cp ` + sample + ` "$out"
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestProfileExport: the summary is of what was exported, which is listed; a report whose
// export failed is not converted by whatever nsys is on the path.
func TestProfileExport(t *testing.T) {
	sample, other := samples.File(t, "nsys/nsys-ai_healthy_1pct.sqlite"), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "nsys"), []byte("#!/bin/sh\ntouch "+other+"/called\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", other+":"+os.Getenv("PATH"))
	t.Chdir(t.TempDir())
	for _, whole := range []bool{true, false} {
		r := reel(t, "profile", "--nsys="+standInNsys(t, sample, whole), "true")
		if r.code != 0 || !strings.Contains(r.err, ".1.sqlite") || strings.Contains(r.err, "no summary") || strings.Contains(r.err, ".2.nsys-rep is not exported: No space left on device; later: ") == whole {
			t.Errorf("whole %v: exit %d, %s", whole, r.code, r.err)
		}
		if left, _ := filepath.Glob("artifacts/profiles/*/*.2.sqlite"); len(left) != 1 {
			t.Errorf("whole %v: %q", whole, left)
		}
	}
	if _, err := os.Stat(other + "/called"); err == nil {
		t.Error("another nsys was called")
	}
}

// TestProfileRepeatStats: each run has a file of statistics of its own, as it has a folder.
func TestProfileRepeatStats(t *testing.T) {
	t.Chdir(t.TempDir())
	r := underProfiler(t, "one", "--repeat", "2", "--no-summary", "--stats-path", "s/st.json", "--report-path", "r")
	left, _ := filepath.Glob("[rs]*/st*.json")
	if r.code != 0 || strings.Join(left, " ") != "s/st-1.json s/st-2.json" {
		t.Errorf("exit %d, %q, %s", r.code, left, r.err)
	}
}
