package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/golden"
	"reel/internal/query"
	"reel/internal/samples"
	"reel/internal/synth"
)

// TestQueryDocs compares the documentation of the tables with what there is.
func TestQueryDocs(t *testing.T) {
	root, err := samples.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "query.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := good(t, "query", "--schema", "--format", "markdown")
	if !strings.HasSuffix(string(page), want) {
		k := strings.Index(string(page), "## Tables")
		t.Errorf("docs/query.md is not up to date (reel query --schema --format markdown):\n%s", golden.Diff(page[max(k, 0):], []byte(want)))
	}
	text := good(t, "query", "--schema")
	for _, r := range query.Recipes() {
		if !strings.Contains(text, "\n"+r.Name+": "+r.Title) {
			t.Errorf("--schema does not list %s", r.Name)
		}
	}
}

func TestQueryForms(t *testing.T) {
	trace := tiny(t)
	sql := "SELECT step, activities, cpu_ns / 1e6 AS cpu_ms, NULL AS empty, name || char(27) || ',' AS odd, x'00ff' AS blob FROM step_work LIMIT 3"
	golden.String(t, "query/forms.txt", good(t, "query", trace, sql))
	golden.String(t, "query/forms.csv", good(t, "query", trace, sql, "--format", "csv"))
	golden.String(t, "query/forms.json", good(t, "query", trace, sql, "--json"))
	golden.String(t, "query/forms.md", good(t, "query", trace, sql, "--format", "markdown"))
	valid := validator(t)
	valid("query", "query", "--json", trace, sql)
	valid("query", "query", "--json", "--limit", "1", trace, "SELECT id, 9e999 FROM range")
	valid("query", "query", "--json", trace, "SELECT 1 WHERE 0")
	for _, r := range query.Recipes() {
		valid("query", "query", "--json", trace, "--recipe", r.Name)
	}
	if out := good(t, "query", trace, "SELECT id FROM range", "--limit", "2"); !strings.HasSuffix(out, "\n… there are more than 2 rows; --limit 0 shows all\n") {
		t.Errorf("%s", out)
	}
	if rows, err := csv.NewReader(strings.NewReader(good(t, "query", trace, "SELECT id FROM range", "--format", "csv"))).ReadAll(); err != nil || len(rows) < 1002 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// TestQueryRanks asks of several ranks at once.
func TestQueryRanks(t *testing.T) {
	folder(t)
	a := made(t, "a.json", synth.Options{Seed: 1, Steps: 2, Layers: 1, Rank: 0, WorldSize: 2})
	b := made(t, "b.json", synth.Options{Seed: 2, Steps: 2, Layers: 1, Rank: 1, WorldSize: 2})
	out := good(t, "query", a, b, "SELECT rank, count(*) = count(DISTINCT id) AS apart, count(launch_id) > 0 AS linked FROM activity GROUP BY rank", "--format", "csv")
	if out != "rank,apart,linked\n0,1,1\n1,1,1\n" {
		t.Errorf("%s", out)
	}
	if out := good(t, "query", a, b, "SELECT count(DISTINCT id) = count(*) FROM range", "--format", "csv"); !strings.HasSuffix(out, "\n1\n") {
		t.Errorf("ids of ranks are not apart: %s", out)
	}
}

func TestQueryErrors(t *testing.T) {
	trace := tiny(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "no SQL given; 'reel query --schema' shows what there is to ask"},
		{[]string{trace}, 2, "is no SQL; the query stands last, in quotes"},
		{[]string{trace, "SELECT * FROM nope"}, 1, "no such table: nope"},
		{[]string{trace, "DROP TABLE range"}, 1, "not authorized"},
		{[]string{trace, "SELECT 1; SELECT 2"}, 1, "more than one statement"},
		{[]string{trace, "--recipe", "nope"}, 2, `--recipe "nope": there are steps,`},
		{[]string{trace, "SELECT 1", "--limit", "-1"}, 2, "cannot be negative"},
		{[]string{"--schema", trace}, 2, "--schema takes no arguments"},
		{[]string{"--schema", "--json"}, 2, "--schema is printed as text or markdown"},
		{[]string{trace, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", "--timeout", "50ms"}, 1, "not done after 50ms; --timeout allows more"},
	} {
		if r := reel(t, append([]string{"query"}, c.args...)...); r.code != c.code || !strings.Contains(r.err, c.want) || r.out != "" {
			t.Errorf("%q: exit %d, %s; want %d, %q", c.args, r.code, r.err, c.code, c.want)
		}
	}
}
