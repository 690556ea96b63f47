package text

import (
	"errors"
	"math"
	"strings"
	"testing"

	"reel/internal/display"
	"reel/internal/golden"
	"reel/table"
)

// stages is the stage table of a small run, with what hostile traces hold.
func stages() *table.Table {
	t := table.New("stages",
		table.Col{Name: "stage", Unit: table.Text},
		table.Col{Name: "name", Unit: table.Text},
		table.Col{Name: "CPU", Unit: table.Nanoseconds},
		table.Col{Name: "device", Unit: table.Nanoseconds},
		table.Col{Name: "memory", Unit: table.Bytes},
		table.Col{Name: "activities", Unit: table.Count},
		table.Col{Name: "busy", Unit: table.Percent},
		table.Col{Name: "share", Unit: table.Bar},
		table.Col{Unit: table.Text})
	t.Title = "request 0"
	t.Add("encode", "CLIPTextModelWithProjection_0", 9_800_000, 1_200_000, 4_225_762, 412, 12.6, 0.126)
	t.Add("diffuse", "void cutlass::gemm<float, 128, 64>(cutlass::Params)", 995_200_000, 627_700_000, 80<<30, 239_012, 64.5, 0.645)
	t.Add("decode", "模型 decoder", 8_100_000, 49_000_000, 0, 0, 99.97, 0.9997, "the CPU sees a sixth of it")
	t.Add("other", "\x1b[31mevil\x1b[0m\nname\u202e", nil, 800_000)
	t.SetTotal("all", nil, 1_013_100_000, 678_700_000, nil, 239_424)
	t.Note("device times are %s; only %d of %d activities have a launch", "unions", 239_012, 239_424)
	return t
}

func TestWrite(t *testing.T) {
	golden.String(t, "wide.txt", String(stages(), Options{}))
	golden.String(t, "width100.txt", String(stages(), Options{Width: 100}))
	golden.String(t, "width40.txt", String(stages(), Options{Width: 40, Indent: 2, BarWidth: 4}))
	golden.String(t, "color.txt", String(stages(), Options{Color: true}))
	golden.String(t, "bare.txt", String(&table.Table{Cols: []table.Col{{Unit: table.Text}, {}}, Rows: [][]table.Cell{
		{table.Str("no headings"), table.Int(3)}, {table.Str("short row")}, {},
	}}, Options{Indent: 1}))
	if got := String(table.New("empty"), Options{Width: 10}); got != "" {
		t.Errorf("an empty table gave %q", got)
	}
}

func TestFitsWidthAndStaysClean(t *testing.T) {
	for width := 92; width <= 200; width++ {
		out := String(stages(), Options{Width: width})
		for line := range strings.Lines(out) {
			if got := display.Width(strings.TrimSuffix(line, "\n")); got > width {
				t.Errorf("width %d: a line takes %d: %q", width, got, line)
			}
		}
		if strings.ContainsAny(out, "\x1b\u202e") {
			t.Fatalf("width %d: control characters came through", width)
		}
		for _, number := range []string{"995.2 ms", "80.0 GiB", "239,012", ">99.9 %"} {
			if !strings.Contains(out, number) {
				t.Errorf("width %d: %s was cut", width, number)
			}
		}
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		fraction float64
		width    int
		want     string
	}{
		{0, 8, "▕░░░░░░░░▏"}, {1, 8, "▕████████▏"}, {0.4375, 8, "▕███▌░░░░▏"}, {1e-9, 8, "▕▏░░░░░░░▏"},
		{0.9999, 8, "▕███████▉▏"}, {-3, 4, "▕░░░░▏"}, {7, 4, "▕████▏"}, {math.NaN(), 2, "▕░░▏"}, {0.5, 0, "▕▌▏"},
		{math.Inf(1), 2, "▕██▏"},
	} {
		if got := Bar(c.fraction, c.width); got != c.want {
			t.Errorf("Bar(%v, %d) = %s, want %s", c.fraction, c.width, got, c.want)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestWriteReturnsTheError(t *testing.T) {
	if err := Write(failing{}, stages(), Options{}); err == nil {
		t.Error("want the writer's error")
	}
}
