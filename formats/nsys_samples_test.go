package formats

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"reel/analyze"
	"reel/event"
	"reel/internal/samples"
	"reel/internal/sqlite"
	"reel/timeline"
)

// sql asks a sample in plain SQL, apart from everything that the reader does.
type sql struct {
	t  *testing.T
	db *sqlite.DB
}

func openSQL(t *testing.T, path string) *sql {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(context.Background(), f, st.Size(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(); f.Close() })
	return &sql{t, db}
}

// ints returns the columns of a query's rows.
func (q *sql) ints(query string, args ...any) (out [][]int64) {
	q.t.Helper()
	rows, err := q.db.Query(query, args...)
	if err != nil {
		q.t.Fatal(err)
	}
	defer rows.Close()
	n := len(rows.Names())
	for rows.Next() {
		row := make([]int64, n)
		for i := range row {
			row[i] = rows.Int(i)
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		q.t.Fatal(err)
	}
	return out
}

func (q *sql) one(query string, args ...any) int64 { q.t.Helper(); return q.ints(query, args...)[0][0] }

// pid of a column that holds a globalTid or globalPid.
func pid(column string) string { return "(" + column + " / 16777216 % 16777216)" }

// works is all work on a device.
const works = `(SELECT start, "end", globalPid, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL
	UNION ALL SELECT start, "end", globalPid, correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY
	UNION ALL SELECT start, "end", globalPid, correlationId FROM CUPTI_ACTIVITY_KIND_MEMSET)`

// busy is the length of the union of intervals ordered by start.
func busy(list [][]int64) (sum int64) {
	reach := int64(-1 << 62)
	for _, v := range list {
		sum += max(0, v[1]-max(reach, v[0]))
		reach = max(reach, v[1])
	}
	return sum
}

// buildRank reads the rank of a process; 0 is the file's only one.
func buildRank(t *testing.T, path string, process int64) *timeline.Timeline {
	t.Helper()
	s, err := Open(context.Background(), path, Options{Process: process})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tl, err := timeline.Build(context.Background(), s, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// TestNsysSamples compares real exports with plain SQL: rows per table and rank, how busy each
// rank's device was, what kernels took by name, and what has no launch.
func TestNsysSamples(t *testing.T) {
	for _, c := range []struct {
		name         string
		processes    []int64
		unattributed int // over all ranks; the known number
		activities   int
	}{
		{"nsys-ai_h100_2gpu_1s", []int64{111, 112}, 2276, 4368},
		{"nsys-ai_mfu_2gpu_before", []int64{144, 145}, -1, 4010 + 1020 + 269},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := samples.File(t, "nsys/"+c.name+".sqlite")
			q := openSQL(t, path)
			roles, err := analyze.LoadRoles()
			if err != nil {
				t.Fatal(err)
			}
			var parts []int64
			for _, p := range Parts(context.Background(), path) {
				parts = append(parts, p.Process)
			}
			if !slices.Equal(parts, c.processes) {
				t.Errorf("ranks %v, want %v", parts, c.processes)
			}
			none, all := 0, 0
			for _, p := range c.processes {
				tl := buildRank(t, path, p)
				compareCounts(t, q, tl, p)
				compareKernels(t, q, tl, p)
				gpu, devices := analyze.Device(tl, roles)
				if want := busy(q.ints(`SELECT start, "end" FROM `+works+` WHERE `+pid("globalPid")+` = ? ORDER BY 1`, p)); gpu.Busy != want || len(devices) != 1 {
					t.Errorf("process %d: busy %d ns on %d devices, want %d", p, gpu.Busy, len(devices), want)
				}
				want := int(q.one(`SELECT count(*) FROM `+works+` WHERE `+pid("globalPid")+` = ? AND correlationId NOT IN
					(SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE `+pid("globalTid")+` = ?)`, p, p))
				if tl.Linked.None != want || gpu.Unattributed != want {
					t.Errorf("process %d: %d unattributed, %d in the device's account; want %d", p, tl.Linked.None, gpu.Unattributed, want)
				}
				none, all = none+tl.Linked.None, all+gpu.Activities
			}
			if all != c.activities || c.unattributed >= 0 && none != c.unattributed {
				t.Errorf("%d of %d activities are unattributed; want %d of %d", none, all, c.unattributed, c.activities)
			}
		})
	}
}

// compareCounts compares the numbers of events with those of rows.
func compareCounts(t *testing.T, q *sql, tl *timeline.Timeline, p int64) {
	t.Helper()
	got := map[event.Class]int64{}
	for _, list := range [][]event.Class{tl.Ranges.Class, tl.Activities.Class} {
		for _, c := range list {
			got[c]++
		}
	}
	for _, w := range []struct {
		classes []event.Class
		from    string
	}{
		{[]event.Class{event.Op, event.Annotation}, "NVTX_EVENTS WHERE eventType IN (59, 60) AND " + pid("globalTid")},
		{[]event.Class{event.Runtime}, "CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass = 0 AND " + pid("globalTid")},
		{[]event.Class{event.Driver}, "CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass = 1 AND " + pid("globalTid")},
		{[]event.Class{event.Kernel}, "CUPTI_ACTIVITY_KIND_KERNEL WHERE " + pid("globalPid")},
		{[]event.Class{event.Copy}, "CUPTI_ACTIVITY_KIND_MEMCPY WHERE " + pid("globalPid")},
		{[]event.Class{event.Set}, "CUPTI_ACTIVITY_KIND_MEMSET WHERE " + pid("globalPid")},
		{[]event.Class{event.Sync}, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION WHERE " + pid("globalPid")},
	} {
		n := int64(0)
		for _, c := range w.classes {
			n += got[c]
		}
		if want := q.one("SELECT count(*) FROM "+w.from+" = ?", p); n != want {
			t.Errorf("process %d: %d of %v, %d rows in %s", p, n, w.classes, want, strings.Fields(w.from)[0])
		}
	}
}

// compareKernels compares how often each kernel ran, and how long in all.
func compareKernels(t *testing.T, q *sql, tl *timeline.Timeline, p int64) {
	t.Helper()
	got := map[string][2]int64{}
	for i, c := range tl.Activities.Class {
		if name := tl.Name(tl.Activities.Name[i]); c == event.Kernel {
			got[name] = [2]int64{got[name][0] + 1, got[name][1] + tl.Activities.Dur[i]}
		}
	}
	rows, err := q.db.Query(`SELECT count(*), sum(k."end" - k.start), s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k
		JOIN StringIds s ON s.id = k.demangledName WHERE `+pid("k.globalPid")+` = ? GROUP BY k.demangledName`, p)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		name := string(rows.Text(2))
		if want := [2]int64{rows.Int(0), rows.Int(1)}; got[name] != want {
			t.Errorf("process %d: %s: %v, want %v", p, name, got[name], want)
		}
	}
	if rows.Err() != nil || n != len(got) || n == 0 {
		t.Errorf("process %d: %d kernels, want %d (%v)", p, len(got), n, rows.Err())
	}
}

// TestNsysEmptySample: the nearly empty export says why it is.
func TestNsysEmptySample(t *testing.T) {
	tl := buildRank(t, samples.File(t, "nsys/lighttransport-gemm_profile.sqlite"), 0)
	var all []string
	for _, w := range tl.Warnings {
		all = append(all, w.Code+": "+w.Text)
	}
	said := strings.Join(all, "\n")
	for _, want := range []string{
		"device-part-missing: no work on a device was recorded: the program called CUDA (3 calls), and CUPTI gave no kernel, copy or set. Nor was an NVTX range",
		"driver version (13.3) is not supported", "No NVTX events collected", "CUPTI buffers: 49 of 50"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	if d := tl.Info.Devices; len(d) != 1 || d[0].Name != "NVIDIA GeForce RTX 5060 Ti" || tl.Info.Host != "b550" || tl.Info.Base == nil || *tl.Info.Base != 1781267898002099210 {
		t.Errorf("%+v", tl.Info)
	}
}

// TestNsysMinimalSample: three tables of a minimal schema are enough.
func TestNsysMinimalSample(t *testing.T) {
	tl := buildRank(t, samples.File(t, "nsys/nsys-ai_healthy_1pct.sqlite"), 0)
	if tl.Linked.ByLaunch != 400 || tl.Linked.None != 0 || len(tl.Warnings) != 0 {
		t.Errorf("%+v, %v", tl.Linked, tl.Warnings)
	}
}

// TestNsysSecretsStayInside: nothing of the recorded environment leaves the file.
func TestNsysSecretsStayInside(t *testing.T) {
	s, err := Open(context.Background(), samples.File(t, "nsys/nsys-ai_h100_2gpu_1s.sqlite"), Options{AllArgs: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var names []string
	for e, err := range event.All(s) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Name)
	}
	for k, v := range s.Info().Props {
		names = append(names, k+"="+v)
	}
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		for _, word := range []string{"PATH=", "HOME=", "TOKEN", "SECRET", "API_KEY"} {
			if strings.Contains(n, word) {
				t.Errorf("%.60q", n)
			}
		}
	}
}
