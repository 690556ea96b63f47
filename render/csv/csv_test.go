package csv

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"reel/internal/golden"
	"reel/table"
)

func ops() *table.Table {
	t := table.New("ops",
		table.Col{Name: "name", Unit: table.Text},
		table.Col{Name: "Self CPU", Unit: table.Nanoseconds},
		table.Col{Name: "busy", Unit: table.Percent},
		table.Col{Name: "Total Time", Unit: table.Nanoseconds, Key: "Total Time (ns)"})
	t.Title = "not written"
	t.Add("aten::mm", 1_530_000, 12.25, 3)
	t.Add(`gemm<float, "a">`, 0, 0.0)
	t.Add("two\nlines\x1b[31m", nil, nil, 1<<62)
	t.Add("=1+1")
	t.SetTotal("not written", 1)
	t.Note("not written")
	return t
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, ops()); err != nil {
		t.Fatal(err)
	}
	golden.String(t, "ops.csv", b.String())

	records, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(records) != 5 || records[2][0] != `gemm<float, "a">` || records[3][0] != "two\nlines\x1b[31m" {
		t.Errorf("read back %q, %v", records, err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestWriteReturnsTheError(t *testing.T) {
	if err := Write(failing{}, ops()); err == nil {
		t.Error("want the writer's error")
	}
}
