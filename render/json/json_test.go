package json

import (
	"encoding/json"
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
		table.Col{Name: "busy", Unit: table.Percent})
	t.Add("aten::mm", 1<<62, 12.25)
	t.Add("std::vector<float> \"q\" \x1b[31m \xff", 0, 0.0)
	t.Add("", nil, nil)
	t.Add()
	t.SetTotal("not written", 1)
	return t
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, ops()); err != nil {
		t.Fatal(err)
	}
	golden.String(t, "ops.json", b.String())

	var rows []map[string]any
	if err := json.Unmarshal([]byte(b.String()), &rows); err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if v, ok := rows[1]["self_cpu_ns"]; !ok || v != 0.0 {
		t.Errorf("a zero must be there: %v", rows[1])
	}
	if _, ok := rows[2]["self_cpu_ns"]; ok || len(rows[3]) != 0 {
		t.Errorf("absent cells must not be there: %v", rows[2:])
	}
	if got := string(Append(nil, table.New("none"))); got != "[]" {
		t.Errorf("no rows gave %s", got)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestWriteReturnsTheError(t *testing.T) {
	if err := Write(failing{}, ops()); err == nil {
		t.Error("want the writer's error")
	}
}
