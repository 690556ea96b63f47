package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/compress"
	"reel/internal/nsysgen"
	"reel/internal/sqlite"
)

// exportFile writes a synthetic export and returns its path.
func exportFile(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".sqlite")
	if err := nsysgen.Write(context.Background(), path, name, nsysgen.New); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNsysRanks: the processes of an export are its ranks, and the same correlation in two
// of them is two launches.
func TestNsysRanks(t *testing.T) {
	path := exportFile(t, "ranks")
	parts := Parts(context.Background(), path)
	if got := fmt.Sprint(parts); got != "[{111 worker0} {112 worker1}]" {
		t.Fatalf("parts %s", got)
	}
	for _, p := range parts {
		tl := buildRank(t, path, p.Process)
		if tl.Linked.ByLaunch != 2 || tl.Linked.None != 0 || tl.Info.Path != fmt.Sprintf("%s (process %d)", path, p.Process) {
			t.Errorf("process %d: %+v, %s", p.Process, tl.Linked, tl.Info.Path)
		}
		for _, id := range tl.HostTracks() {
			if tl.Tracks[id].A != p.Process {
				t.Errorf("process %d has a track of process %d", p.Process, tl.Tracks[id].A)
			}
		}
	}
	for _, other := range []string{exportFile(t, "nested"), temp(t, "a.json", traceJSON), temp(t, "x.sqlite", "SQLite format 3\x00"), filepath.Join(t.TempDir(), "absent"), t.TempDir()} {
		if parts := Parts(context.Background(), other); parts != nil {
			t.Errorf("%s: parts %v", other, parts)
		}
	}
}

// TestNsysGraph: the kernels of a graph have one launch.
func TestNsysGraph(t *testing.T) {
	tl := buildRank(t, exportFile(t, "graph-node"), 0)
	if tl.Linked.ByLaunch != 3 || tl.Activities.Launch[0] != tl.Activities.Launch[2] {
		t.Errorf("%+v", tl.Linked)
	}
}

// TestNsysPlaces: an export is read where it lies.
func TestNsysPlaces(t *testing.T) {
	b, err := os.ReadFile(exportFile(t, "nested"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), temp(t, "x.sqlite.gz", pack(t, compress.Gzip, string(b))), Options{}); err == nil || !strings.Contains(err.Error(), "unpack it first") {
		t.Errorf("compressed: %v", err)
	}
	other := filepath.Join(t.TempDir(), "places.sqlite")
	db, err := sqlite.Create(context.Background(), other, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Exec("CREATE TABLE moz_places(id, url)"), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), other, Options{}); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "without a table of Nsight Systems") {
		t.Errorf("another program's database: %v", err)
	}
}

// TestNsysHuge: a file of 10 GB that is nearly all hole is read as what it holds, or refused.
func TestNsysHuge(t *testing.T) {
	b, err := os.ReadFile(exportFile(t, "nested"))
	if err != nil {
		t.Fatal(err)
	}
	claims := bytes.Clone(b)
	copy(claims[28:], []byte{0x00, 0x26, 0x00, 0x00}) // 2.5 million pages, says the header
	for name, head := range map[string][]byte{"longer than its header says": b, "as its header says": claims, "a header and nothing": b[:100], "no header": nil} {
		path := temp(t, "huge.sqlite", string(head))
		if err := os.Truncate(path, 10<<30); err != nil {
			t.Skip(err)
		}
		src, err := Open(context.Background(), path, Options{})
		if err != nil {
			continue
		}
		n := 0
		for _, err := range event.All(src) {
			if err != nil {
				t.Logf("%s: %v", name, err)
			}
			n++
		}
		src.Close()
		if n > 1000 {
			t.Errorf("%s: %d events", name, n)
		}
	}
}
