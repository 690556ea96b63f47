package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	pq "github.com/parquet-go/parquet-go"

	"reel/analyze"
	"reel/internal/golden"
	"reel/internal/synth"
	"reel/internal/walk"
	"reel/internal/walk/walktest"
	"reel/timeline"
	"reel/write/parquet"
)

func write(t testing.TB, table parquet.Table, opt parquet.Options, ranks ...analyze.Rank) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, table, ranks, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, data []byte) *pq.File {
	t.Helper()
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rows reads all rows, as texts by column; nulls are absent.
func rows(t testing.TB, f *pq.File) (list []map[string]string) {
	t.Helper()
	names := f.Schema().Columns()
	for _, g := range f.RowGroups() {
		r := g.Rows()
		buf := make([]pq.Row, 64)
		for {
			n, err := r.ReadRows(buf)
			for _, row := range buf[:n] {
				m := map[string]string{}
				for _, v := range row {
					if !v.IsNull() {
						m[strings.Join(names[v.Column()], ".")] = v.String()
					}
				}
				list = append(list, m)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r.Close()
	}
	return list
}

// dump writes a file for people.
func dump(t testing.TB, f *pq.File) string {
	var b strings.Builder
	clock, _ := f.Lookup("clock")
	fmt.Fprintf(&b, "%s\nclock %s, row groups:", f.Schema(), clock)
	for _, g := range f.RowGroups() {
		fmt.Fprintf(&b, " %d", g.NumRows())
	}
	b.WriteString("\n")
	for _, m := range rows(t, f) {
		for _, c := range f.Schema().Columns() {
			if v, ok := m[c[0]]; ok {
				fmt.Fprintf(&b, "%s=%s ", c[0], v)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTables(t *testing.T) {
	r := walktest.File(t, "testdata/step.txt")
	for _, table := range parquet.Tables() {
		golden.String(t, string(table)+".golden", dump(t, open(t, write(t, table, parquet.Options{}, r))))
	}
}

func TestRowGroupsHoldOneRank(t *testing.T) {
	o := synth.Options{Steps: 2, Layers: 1, WorldSize: 2}
	a, _ := walktest.Synth(t, o)
	o.Rank = 1
	b, truth := walktest.Synth(t, o)
	empty := walktest.Text(t, "")
	f := open(t, write(t, parquet.Activities, parquet.Options{GroupRows: 100}, a, empty, b))
	ranks, all, i := "", rows(t, f), 0
	for _, g := range f.RowGroups() {
		seen := map[string]bool{}
		for range g.NumRows() {
			seen[all[i]["rank"]] = true
			i++
		}
		if len(seen) != 1 || g.NumRows() > 100 || g.NumRows() == 0 {
			t.Errorf("a row group of %d rows and %d ranks", g.NumRows(), len(seen))
		}
		for r := range seen {
			ranks += r
		}
	}
	if len(all) != a.TL.Activities.Len()+b.TL.Activities.Len() || !strings.HasPrefix(ranks, "00") || !strings.HasSuffix(ranks, "11") {
		t.Errorf("%d rows, row groups of ranks %s", len(all), ranks)
	}
	if got, want := all[len(all)-1]["start_ns"], fmt.Sprint(truth.BaseNS+b.TL.Activities.Start[b.TL.Activities.Len()-1]); got != want {
		t.Errorf("last start %s, want %s", got, want)
	}
}

func TestSamples(t *testing.T) {
	for _, name := range walktest.Samples() {
		t.Run(name, func(t *testing.T) {
			r := walktest.Sample(t, name)
			launches := map[timeline.RangeID]bool{}
			for i, c := range r.TL.Activities.Class {
				if l := r.TL.Activities.Launch[i]; c.IsWork() && l != timeline.NoRange {
					launches[l] = true
				}
			}
			d := r.Derived
			for table, want := range map[parquet.Table]int{parquet.Ranges: r.TL.Ranges.Len(), parquet.Activities: r.TL.Activities.Len(),
				parquet.Launches: len(launches), parquet.Derived: len(d.Requests) + len(d.Stages) + len(d.Steps)} {
				data := write(t, table, parquet.Options{}, r)
				if n := open(t, data).NumRows(); n != int64(want) {
					t.Errorf("%s: %d rows, want %d", table, n, want)
				}
				if !bytes.Equal(data, write(t, table, parquet.Options{}, r)) {
					t.Errorf("%s: two runs differ", table)
				}
			}
		})
	}
}

func TestHostileNames(t *testing.T) {
	r := walktest.Hostile(t)
	for _, table := range parquet.Tables() {
		for i, m := range rows(t, open(t, write(t, table, parquet.Options{}, r))) {
			for column, v := range m {
				if !utf8.ValidString(v) {
					t.Errorf("%s: row %d: %s is %q", table, i, column, v)
				}
			}
			if name := r.TL.Name(r.TL.Ranges.Name[min(i, r.TL.Ranges.Len()-1)]); table == parquet.Ranges && m["name"] != walk.Text(name) {
				t.Errorf("row %d: %q, want %q", i, m["name"], name)
			}
		}
	}
}

func TestNoRank(t *testing.T) {
	if n := open(t, write(t, parquet.Ranges, parquet.Options{})).NumRows(); n != 0 {
		t.Errorf("%d rows", n)
	}
	if err := parquet.Write(io.Discard, "streams", nil, parquet.Options{}); err == nil || !strings.Contains(err.Error(), "ranges activities launches derived") {
		t.Errorf("an unknown table: %v", err)
	}
	if parquet.Launches.File() != "launches.parquet" {
		t.Error(parquet.Launches.File())
	}
}

func TestErrorsOfTheWriter(t *testing.T) {
	full := walktest.Full(100)
	if err := parquet.Write(&full, parquet.Ranges, []analyze.Rank{walktest.Random(t, 1, 1000)}, parquet.Options{}); !errors.Is(err, walktest.ErrFull) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	r := walktest.Sample(b, walktest.SD35)
	b.ReportAllocs()
	for b.Loop() {
		for _, table := range parquet.Tables() {
			if err := parquet.Write(io.Discard, table, []analyze.Rank{r}, parquet.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(r.TL.Ranges.Len()+r.TL.Activities.Len())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
