package nsysstats

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"reel/internal/samples"
	"reel/internal/sqlite"
	"reel/read/nsys"
	"reel/timeline"
)

// exports are real exports of two processes each.
var exports = []struct {
	name string
	want string // of the note on what has no launch
}{
	{"nsys/nsys-ai_h100_2gpu_1s.sqlite", "2,276 of 4,368 GPU operations have no launch"},
	{"nsys/nsys-ai_mfu_2gpu_before.sqlite", "31 of 5,299 GPU operations have no launch"},
}

// ranks reads all ranks of an export.
func ranks(t *testing.T, path string) (srcs []Source) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	list, err := nsys.Ranks(context.Background(), f, st.Size(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		src, err := nsys.Open(context.Background(), path, nsys.Options{Process: r.Process, Args: Args, RawNames: true})
		if err != nil {
			t.Fatal(err)
		}
		tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: Args})
		src.Close()
		if err != nil {
			t.Fatal(err)
		}
		srcs = append(srcs, Source{TL: tl})
	}
	return srcs
}

// asked returns the rows of a query, cells joined by bars.
func asked(t *testing.T, path, sql string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(context.Background(), f, st.Size(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var cells []string
		for i := range rows.Names() {
			switch rows.Type(i) {
			case sqlite.Integer:
				cells = append(cells, fmt.Sprint(rows.Int(i)))
			case sqlite.Float:
				cells = append(cells, fmt.Sprintf("%.1f", rows.Float(i)))
			default:
				cells = append(cells, string(rows.Text(i)))
			}
		}
		out = append(out, strings.Join(cells, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	sort.Strings(out)
	return out
}

// picked are some columns of a report.
func picked(r *Report, cols ...string) []string {
	var at []int
	for _, name := range cols {
		at = append(at, slices.IndexFunc(r.Cols, func(c Col) bool { return c.Head == name }))
	}
	var out []string
	for k := range r.Len {
		row := r.Row(k)
		var cells []string
		for _, i := range at {
			cells = append(cells, r.Cols[i].raw(row[i]))
		}
		out = append(out, strings.Join(cells, "|"))
	}
	sort.Strings(out)
	return out
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Errorf("%s: %d rows, SQL says %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: %s, SQL says %s", what, got[i], want[i])
			return
		}
	}
}

// projSQL projects by the definition: for each range, all operations whose call lies
// within it on its thread.
const projSQL = `
WITH ops AS (
  SELECT start, end, correlationId AS c, globalPid AS p FROM CUPTI_ACTIVITY_KIND_KERNEL
  UNION ALL SELECT start, end, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMCPY
  UNION ALL SELECT start, end, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMSET),
launches AS MATERIALIZED (
  SELECT r.globalTid AS tid, r.start, r.end, min(o.start) AS first, max(o.end) AS last, count(*) AS n
  FROM ops o JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = o.c AND (r.globalTid & ~16777215) = o.p GROUP BY r.rowid),
projected AS (
  SELECT iif(n.domainId = 0, '', 'domain ' || n.domainId) || ':' || coalesce(n.text, s.value) AS name,
    max(l.last) - min(l.first) AS proj, n.end - n.start AS host, sum(l.n) AS ops
  FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId
    JOIN launches l ON l.tid = n.globalTid AND l.start >= n.start AND l.end <= n.end
  WHERE n.eventType = 59 AND n.end IS NOT NULL GROUP BY n.rowid)
SELECT name, sum(proj), sum(host), count(*), avg(proj), min(proj), max(proj), sum(ops) FROM projected GROUP BY name`

// TestAgainstSQL compares reports of real exports with what SQL computes from their
// tables.
func TestAgainstSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("SQL takes some seconds")
	}
	for i, x := range exports {
		path := samples.File(t, x.name)
		srcs := ranks(t, path)
		if len(srcs) != 2 {
			t.Fatalf("%s: %d ranks", x.name, len(srcs))
		}
		run := func(name string) *Report {
			r, err := Run(srcs, name, Options{})
			if err != nil || r.Skipped != "" {
				t.Fatalf("%s: %s: %v %s", x.name, name, err, r.Skipped)
			}
			return r
		}
		sums := []string{"Name", "Total Time (ns)", "Instances", "Avg (ns)", "Min (ns)", "Max (ns)"}
		equal(t, x.name+": kernels", picked(run("cuda_gpu_kern_sum"), sums...), asked(t, path,
			"SELECT s.value, sum(end-start), count(*), avg(end-start), min(end-start), max(end-start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName GROUP BY s.value"))
		equal(t, x.name+": ranges", picked(run("nvtx_sum"), "Range", "Total Time (ns)", "Instances", "Avg (ns)", "Min (ns)", "Max (ns)"), asked(t, path,
			`SELECT iif(n.domainId = 0, '', 'domain ' || n.domainId) || ':' || coalesce(n.text, s.value) AS name, sum(end-start), count(*), avg(end-start), min(end-start), max(end-start)
			FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId WHERE eventType = 59 AND end IS NOT NULL GROUP BY name`))
		equal(t, x.name+": calls", picked(run("cuda_api_sum"), "Name", "Total Time (ns)", "Num Calls"), asked(t, path,
			`SELECT CASE WHEN value GLOB '*[_]v[0-9][0-9][0-9][0-9]' THEN substr(value, 1, length(value) - 6) ELSE value END AS name, sum(end-start), count(*)
			FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId GROUP BY name`))
		equal(t, x.name+": copies", picked(run("cuda_gpu_mem_time_sum"), "Operation", "Total Time (ns)", "Count"), asked(t, path,
			`SELECT '[CUDA memcpy ' || e.label || ']', sum(end-start), count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER e ON e.id = m.copyKind GROUP BY e.label
			UNION ALL SELECT '[CUDA memset]', sum(end-start), count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET`))
		equal(t, x.name+": sizes", picked(run("cuda_gpu_mem_size_sum"), "Operation", "Count"), asked(t, path,
			`SELECT '[CUDA memcpy ' || e.label || ']', count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER e ON e.id = m.copyKind WHERE bytes > 0 GROUP BY e.label
			UNION ALL SELECT '[CUDA memset]', count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET`))
		proj := run("nvtx_gpu_proj_sum")
		if !slices.ContainsFunc(proj.Notes, func(n string) bool { return strings.HasPrefix(n, x.want) }) {
			t.Errorf("%s: the notes do not say %q: %q", x.name, x.want, proj.Notes)
		}
		if i > 0 && os.Getenv("REEL_LONG_TESTS") == "" {
			continue // SQL takes long over the second
		}
		equal(t, x.name+": projection", picked(proj, "Range", "Total Proj Time (ns)", "Total Range Time (ns)", "Range Instances", "Proj Avg (ns)", "Proj Min (ns)", "Proj Max (ns)", "Total GPU Ops"),
			asked(t, path, projSQL))
	}
}
