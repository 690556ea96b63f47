package table

import (
	"math"
	"strings"
	"testing"

	"reel/unit"
)

func TestCellsKeepAbsence(t *testing.T) {
	for _, c := range []struct {
		in     any
		raw    string
		absent bool
	}{
		{nil, "", true}, {math.NaN(), "", true}, {math.Inf(-1), "", true}, {Absent, "", true},
		{0, "0", false}, {"", "", false}, {0.0, "0", false}, {int64(-7), "-7", false}, {int32(3), "3", false},
		{uint32(4), "4", false}, {uint64(5), "5", false}, {uint64(1 << 63), "9223372036854776000", false},
		{1e21, "1000000000000000000000", false}, {0.25, "0.25", false}, {unit.Dur(12), "12", false},
		{unit.Bytes(9), "9", false}, {unit.Count(8), "8", false}, {unit.Percent(61.5), "61.5", false}, {true, "true", false},
	} {
		cell := Of(c.in)
		raw, ok := cell.Raw()
		if raw != c.raw || ok == c.absent || cell.IsAbsent() != c.absent {
			t.Errorf("Of(%v) = %q, %v", c.in, raw, ok)
		}
	}
	if _, ok := Str("x").Int(); ok {
		t.Error("a text is no integer")
	}
	if _, ok := Str("x").Float(); ok {
		t.Error("a text is no number")
	}
	if _, ok := Int(1).Str(); ok {
		t.Error("an integer is no text")
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		in   any
		want string
	}{
		{Nanoseconds, 1_530_000, "1.53 ms"}, {Nanoseconds, 411.6, "412 ns"}, {Bytes, 2048, "2.00 KiB"},
		{Count, 239012, "239,012"}, {Percent, 61, "61.0 %"}, {Bar, 0.5, "50.0 %"}, {None, 7, "7"},
		{None, 2.5, "2.5"}, {Text, "a", "a"}, {Nanoseconds, nil, ""}, {Count, "many", "many"}, {Count, 1e30, "4,611,686,018,427,387,904"},
	} {
		if got := (Col{Unit: c.unit}).Format(Of(c.in)); got != c.want {
			t.Errorf("Format(%v, unit %d) = %q, want %q", c.in, c.unit, got, c.want)
		}
	}
}

func TestKeysAndSides(t *testing.T) {
	for _, c := range []struct {
		col   Col
		key   string
		right bool
	}{
		{Col{Name: "Self CPU", Unit: Nanoseconds}, "self_cpu_ns", true},
		{Col{Name: "CPU Mem", Unit: Bytes}, "cpu_mem_bytes", true},
		{Col{Name: "busy", Unit: Percent}, "busy_percent", true},
		{Col{Name: "share", Unit: Bar}, "share_fraction", false},
		{Col{Name: "Name", Unit: Text}, "name", false},
		{Col{Name: "Name", Unit: Text, Align: Right}, "name", true},
		{Col{Name: "n", Unit: Count, Align: Left, Key: "Total Time (ns)"}, "Total Time (ns)", false},
	} {
		if c.col.MachineKey() != c.key || c.col.Rightward() != c.right {
			t.Errorf("%+v: key %q, right %v", c.col, c.col.MachineKey(), c.col.Rightward())
		}
	}
}

func TestAddAndSort(t *testing.T) {
	tab := New("ops", Col{Name: "name", Unit: Text}, Col{Name: "CPU", Unit: Nanoseconds})
	tab.Add("b", 2)
	tab.Add("none")
	tab.Add("a", 2.5)
	tab.Add("c", 2)
	tab.Add("text", "n/a")
	tab.SetTotal("all", 6)
	tab.Note("only %d", 4)
	if len(tab.Rows[1]) != 2 || !tab.Rows[1][1].IsAbsent() || len(tab.Total) != 2 || tab.Notes[0] != "only 4" {
		t.Errorf("rows %v, total %v, notes %v", tab.Rows, tab.Total, tab.Notes)
	}
	for _, c := range []struct {
		column string
		desc   bool
		want   string
	}{{"cpu_ns", true, "a b c text none"}, {"CPU", false, "b c a text none"}, {"name", false, "a b c none text"}} {
		if err := tab.Sort(c.column, c.desc); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range tab.Rows {
			got = append(got, r[0].str)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("by %s, descending %v: %v, want %s", c.column, c.desc, got, c.want)
		}
		if c.column == "cpu_ns" {
			_ = tab.Sort("name", false)
		}
	}
	if err := tab.Sort("gpu", false); err == nil || !strings.Contains(err.Error(), "name, cpu_ns") {
		t.Errorf("unknown column: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("too many values must panic")
		}
	}()
	tab.Add(1, 2, 3)
}
