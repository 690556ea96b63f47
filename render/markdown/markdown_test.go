package markdown

import (
	"errors"
	"strings"
	"testing"

	"reel/internal/golden"
	"reel/table"
)

func ops() *table.Table {
	t := table.New("ops",
		table.Col{Name: "name", Unit: table.Text},
		table.Col{Name: "a|b", Unit: table.Nanoseconds},
		table.Col{Name: "share", Unit: table.Bar})
	t.Title = "ops of *rank* 0"
	t.Add("aten::mm", 1_530_000, 0.5)
	t.Add("std::vector<float>|x `tick` __nv_foo__ [a](b) @someone \\", 0)
	t.Add(" two\nlines\x1b[31m ", nil, 1)
	t.SetTotal("all", 1_530_000)
	t.Note("only 6 frames; p99 not shown | really")
	return t
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, ops()); err != nil {
		t.Fatal(err)
	}
	golden.String(t, "ops.md", b.String())
	for line := range strings.Lines(b.String()) {
		bare := strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, "")
		if strings.HasPrefix(line, "|") && strings.Count(bare, "|") != 4 {
			t.Errorf("not three cells: %q", line)
		}
	}
}

func TestEmptyTable(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, table.New("none")); err != nil || b.String() != "" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestWriteReturnsTheError(t *testing.T) {
	if err := Write(failing{}, ops()); err == nil {
		t.Error("want the writer's error")
	}
}
