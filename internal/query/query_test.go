package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"reel/analyze"
	"reel/event"
	"reel/internal/golden"
	"reel/internal/sqlite"
	"reel/internal/synth"
	"reel/internal/walk/walktest"
	"reel/timeline"
)

func open(t testing.TB, ranks ...analyze.Rank) *DB {
	t.Helper()
	db, err := Open(context.Background(), ranks)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// ask returns the rows of a query, cells joined by bars.
func ask(t testing.TB, db *DB, sql string) []string {
	t.Helper()
	rows, err := db.Query(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out []string
	n := len(rows.Names())
	for rows.Next() {
		cells := make([]string, n)
		for i := range cells {
			cells[i] = "NULL"
			if !rows.IsNull(i) {
				cells[i] = string(rows.Text(i))
			}
			if ty := rows.Type(i); ty == sqlite.Integer || ty == sqlite.Float {
				cells[i] = fmt.Sprint(rows.Int(i))
			}
		}
		out = append(out, strings.Join(cells, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func one(t testing.TB, db *DB, sql string) string {
	t.Helper()
	rows := ask(t, db, sql)
	if len(rows) != 1 {
		t.Fatalf("%s: %d rows", sql, len(rows))
	}
	return rows[0]
}

const small = `info rank 3
track cpu1/1 "main"
range stage "pipeline.encode" at 10us for 10us
range op "aten::mm" at 11us for 8us id 5
range runtime "cudaLaunchKernel" at 12us for 2us cause 1
range step "model.step[0]" at 30us for 10us
range runtime "cudaLaunchKernel" at 35us for 1us cause 2
range step "model.step[1]" at 40us for 10us
range runtime "cudaMemcpyAsync" at 41us for 1us cause 3
range runtime "cudaStreamSynchronize" at 44us for 5us
mark "here" at 45us
counter "queue" at 46us value 7
track gpu0/7 "stream 7"
gpu "k" at 15us for 5us cause 1
gpu "k" at 60us for 10us cause 2
gpu copy "Memcpy HtoD" at 200us for 3us cause 3 value 4096
gpu "lost" at 65us for 1us cause 99
track gpu0/8
gpu sync "wait" at 100us for 1us
`

func TestTables(t *testing.T) {
	db := open(t, walktest.Text(t, small))
	for sql, want := range map[string]string{
		"SELECT count(*), min(start_ns), max(end_ns) FROM range":                                                        "8|0|40000",
		"SELECT name, class, dur_ns FROM range WHERE id = 3":                                                            "cudaLaunchKernel|runtime|2000",
		"SELECT count(*) FROM range WHERE name = 'cudaLaunchKernel'":                                                    "2",
		"SELECT count(*) FROM range WHERE name = 'CUDALAUNCHKERNEL'":                                                    "0",
		"SELECT count(*) FROM range WHERE name = 'CUDALAUNCHKERNEL' COLLATE NOCASE":                                     "2",
		"SELECT count(*) FROM range WHERE id = '3'":                                                                     "1",
		"SELECT count(*) FROM range WHERE id = 3.0":                                                                     "1",
		"SELECT count(*) FROM range WHERE id = 3.5 OR id = NULL":                                                        "0",
		"SELECT count(*) FROM range WHERE start_ns >= 20000 AND start_ns < 31000":                                       "3",
		"SELECT count(*) FROM range WHERE start_ns > 20000 AND start_ns <= 31000.5":                                     "3",
		"SELECT count(*) FROM range WHERE start_ns BETWEEN NULL AND 5":                                                  "0",
		"SELECT count(*) FROM range WHERE start_ns > -9223372036854775808":                                              "8",
		"SELECT p.name FROM range r JOIN range p ON p.id = r.parent_id WHERE r.id = 3":                                  "aten::mm",
		"SELECT count(*) FROM range c WHERE c.parent_id IS NULL":                                                        "3",
		"SELECT group_concat(name) FROM range WHERE step_id = 2":                                                        "model.step[1],cudaMemcpyAsync,cudaStreamSynchronize",
		"SELECT rank, device, stream, bytes, work FROM activity WHERE class = 'copy'":                                   "3|0|7|4096|1",
		"SELECT count(*), sum(work) FROM activity":                                                                      "5|4",
		"SELECT count(*) FROM activity WHERE launch_id IS NULL AND work = 1":                                            "1",
		"SELECT group_concat(name || ':' || activities) FROM launch":                                                    "cudaLaunchKernel:1,cudaLaunchKernel:1,cudaMemcpyAsync:1,cudaStreamSynchronize:0",
		"SELECT name, value, at_ns FROM mark":                                                                           "here|0|35000",
		"SELECT name, value, at_ns FROM counter":                                                                        "queue|7|36000",
		"SELECT group_concat(stage) FROM stage":                                                                         "encode",
		"SELECT group_concat(step || ' ' || dur_ns) FROM step":                                                          "0 10000,1 10000",
		"SELECT group_concat(place) FROM track":                                                                         "thread,stream,stream",
		"SELECT t.name FROM activity a JOIN track t ON t.id = a.track_id WHERE a.id=1":                                  "stream 7",
		"SELECT s.text FROM activity a JOIN string s ON s.id = a.name_id WHERE a.id=1":                                  "k",
		"SELECT group_concat(dur_ns) FROM gap":                                                                          "40000,130000",
		"SELECT a.name, g.step_id FROM gap g JOIN activity a ON a.id = g.after_id WHERE g.dur_ns > 100000":              "Memcpy HtoD|2",
		"SELECT stage, step, op, launch, delay_ns FROM attributed WHERE name = 'k' AND step IS NULL":                    "encode|NULL|aten::mm|cudaLaunchKernel|3000",
		"SELECT stage, step, activities, device_ns, span_ns FROM step_work s JOIN (SELECT 'x' AS stage) WHERE step = 1": "x|1|1|3000|3000",
		"SELECT stage, activities, launches FROM stage_work":                                                            "encode|1|1",
		"SELECT request, warm_up FROM request":                                                                          "0|0",
	} {
		if got := one(t, db, sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestPlans compares what is found by a value or by bounds with a scan, over random
// ranks: a plan must not change a result.
func TestPlans(t *testing.T) {
	for seed := range uint64(2) {
		a, b := walktest.Random(t, seed, 60), walktest.Random(t, seed+100, 40)
		b.Index = 1
		db := open(t, a, b)
		for _, table := range tables() {
			for _, c := range table.cols {
				if c.of == nil && !c.begin {
					continue
				}
				values := ask(t, db, fmt.Sprintf("SELECT DISTINCT quote(+%s) FROM %s ORDER BY 1 LIMIT 6", c.name, table.name))
				for _, v := range append(values, "0", "-1", "99999999", "'x'", "NULL", "1.0", "x'00'") {
					ops := []string{"="}
					if c.begin {
						ops = []string{"=", "<", "<=", ">", ">="}
					}
					for _, op := range ops {
						fast := fmt.Sprintf("SELECT count(*), coalesce(sum(rank), 0) FROM %s WHERE %s %s %s", table.name, c.name, op, v)
						slow := strings.Replace(fast, "WHERE ", "WHERE +", 1)
						// Unary plus takes a column's affinity too.
						slow = strings.Replace(slow, "+"+c.name, "CAST("+c.name+" AS "+c.kind+")", 1)
						if x, y := one(t, db, fast), one(t, db, slow); x != y {
							t.Errorf("seed %d: %s: %s, and by a scan %s", seed, fast, x, y)
						}
					}
				}
			}
		}
	}
}

// TestAgainstTimeline compares sums with loops over the timeline.
func TestAgainstTimeline(t *testing.T) {
	r, _ := walktest.Synth(t, synth.Options{Seed: 5, Steps: 3, Layers: 2, Python: true})
	db := open(t, r)
	var dur, linked int64
	for i, c := range r.TL.Activities.Class {
		if c.IsWork() {
			dur += r.TL.Activities.Dur[i]
			linked += bit(r.TL.Activities.Launch[i] != timeline.NoRange)
		}
	}
	if got := one(t, db, "SELECT sum(dur_ns), count(launch) FROM attributed"); got != fmt.Sprintf("%d|%d", dur, linked) {
		t.Errorf("%s, want %d|%d", got, dur, linked)
	}
	if got := one(t, db, "SELECT count(*) FROM step"); got != fmt.Sprint(len(r.Derived.Steps)) || len(r.Derived.Steps) != 3 {
		t.Errorf("%s steps", got)
	}
	// The device's union of work and its gaps make the span.
	if got, want := one(t, db, "SELECT (SELECT sum(dur_ns) FROM gap) + 0"), idle(r.TL); got != fmt.Sprint(want) {
		t.Errorf("%s ns in gaps, want %d", got, want)
	}
}

// idle is the time of device 0 in which no work ran, counted point by point.
func idle(tl *timeline.Timeline) (sum int64) {
	type edge struct{ at, d int64 }
	var list []edge
	for i, c := range tl.Activities.Class {
		if c.IsWork() && c != event.Unsound {
			list = append(list, edge{tl.Activities.Start[i], 1}, edge{tl.Activities.End(i), -1})
		}
	}
	slices.SortFunc(list, func(a, b edge) int { return int(a.at - b.at) })
	open := int64(0)
	for i, e := range list {
		if i > 0 && open == 0 {
			sum += e.at - list[i-1].at
		}
		open += e.d
	}
	return sum
}

// TestRecipes keeps what the recipes say of a generated trace.
func TestRecipes(t *testing.T) {
	r, _ := walktest.Synth(t, synth.Options{Seed: 7, Steps: 2, Layers: 1, Python: true})
	db := open(t, r)
	var b strings.Builder
	for _, x := range Recipes() {
		rows := ask(t, db, x.SQL)
		fmt.Fprintf(&b, "%s: %d rows\n", x.Name, len(rows))
		for _, row := range rows[:min(len(rows), 3)] {
			fmt.Fprintf(&b, "  %s\n", row)
		}
	}
	golden.String(t, "recipes.txt", b.String())
}

// TestOnlySelect: nothing writes, attaches, or reads a file.
func TestOnlySelect(t *testing.T) {
	t.Chdir(t.TempDir())
	db := open(t, walktest.Text(t, small))
	for _, sql := range []string{"INSERT INTO range(id) VALUES(1)", "UPDATE range SET id = 1", "DELETE FROM range", "DROP VIEW attributed", "CREATE TABLE x(a)",
		"ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "PRAGMA writable_schema=1", "PRAGMA journal_mode", "SELECT load_extension('x')", "BEGIN", "", "SELECT 1; SELECT 2", "SELEC", "CREATE TEMP TABLE x(a)"} {
		rows, err := db.Query(sql)
		if err == nil {
			rows.Next()
			err = rows.Err()
			rows.Close()
		}
		if err == nil {
			t.Errorf("%q was let through", sql)
		}
	}
	if got := one(t, db, "SELECT count(*) FROM range"); got != "8" {
		t.Errorf("%s ranges are left", got)
	}
}

// TestEnds: a query that would never end ends with its context, and one that wants
// too much memory with an error.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	db, err := Open(ctx, []analyze.Rank{walktest.Text(t, small)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Query("SELECT zeroblob(1000000000)"); err == nil {
		rows, _ := db.Query("SELECT length(zeroblob(1000000000))")
		rows.Next()
		if rows.Err() == nil {
			t.Error("a value of a gigabyte was made")
		}
		rows.Close()
	}
	rows, err := db.Query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	time.AfterFunc(20*time.Millisecond, cancel)
	if rows.Next() || !errors.Is(rows.Err(), context.Canceled) {
		t.Errorf("the endless query: %v", rows.Err())
	}
}

// TestHostile reads every column of every table of names that try to break out.
func TestHostile(t *testing.T) {
	db := open(t, walktest.Hostile(t), walktest.Text(t, ""))
	for _, table := range tables() {
		want := one(t, db, "SELECT count(*) FROM "+table.name)
		if got := fmt.Sprint(len(ask(t, db, "SELECT * FROM "+table.name))); got != want {
			t.Errorf("%s: %s rows of %s", table.name, got, want)
		}
	}
	if got := one(t, db, "SELECT count(*) FROM range r JOIN string s ON s.id = r.name_id AND s.text = r.name"); got != one(t, db, "SELECT count(*) FROM range") {
		t.Errorf("%s names are found", got)
	}
	for _, v := range views() {
		ask(t, db, "SELECT * FROM "+v.name)
	}
}

// TestEmpty answers for a trace of nothing.
func TestEmpty(t *testing.T) {
	db := open(t, walktest.Text(t, ""))
	for _, x := range Recipes() {
		ask(t, db, x.SQL)
	}
}

// FuzzQuery runs texts as SQL.
func FuzzQuery(f *testing.F) {
	for _, r := range Recipes() {
		f.Add(r.SQL)
	}
	f.Add("SELECT * FROM range WHERE start_ns > 5 AND id = 3 OR name = 'x'")
	f.Fuzz(func(t *testing.T, sql string) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		db, err := Open(ctx, []analyze.Rank{walktest.Text(t, small)})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.Query(sql)
		if err != nil {
			return
		}
		defer rows.Close()
		for n := 0; n < 1000 && rows.Next(); n++ {
			for i := range rows.Names() {
				rows.Text(i)
			}
		}
	})
}

func BenchmarkQuery(b *testing.B) {
	r := big(b, 1_000_000)
	for name, sql := range map[string]string{
		"sum":   "SELECT count(*), sum(dur_ns) FROM range",
		"group": "SELECT name_id, sum(dur_ns) FROM range GROUP BY 1",
		"text":  "SELECT name, sum(dur_ns) FROM range GROUP BY 1",
		"where": "SELECT count(*) FROM range WHERE start_ns BETWEEN 1000 AND 9000",
		"join":  "SELECT p.name, count(*) FROM range r JOIN range p ON p.id = r.parent_id GROUP BY r.name_id",
	} {
		b.Run(name, func(b *testing.B) {
			db := open(b, r)
			for b.Loop() {
				ask(b, db, sql)
			}
			b.ReportMetric(float64(r.TL.Ranges.Len())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// big is a rank of n ranges.
func big(b *testing.B, n int) analyze.Rank {
	b.Helper()
	tl, err := timeline.Build(context.Background(), &many{left: n}, timeline.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return analyze.Rank{TL: tl}
}

// many is a source of many ranges.
type many struct{ left, at int }

func (m *many) Next(b *event.Batch) error {
	b.Reset()
	for range min(m.left, 4096) {
		m.left--
		m.at++
		b.Add(event.Event{Kind: event.Range, Class: event.Op, Track: event.Track{Place: event.Thread, A: 1, B: 1},
			Name: fmt.Sprintf("void at::native::vectorized_elementwise_kernel<%d>", m.at%300), Start: int64(m.at) * 10, Dur: int64(5 + 10*(m.at%7))})
	}
	if b.Len() == 0 {
		return io.EOF
	}
	return nil
}

func (m *many) Info() event.Info { return event.Info{} }
func (m *many) Close() error     { return nil }
