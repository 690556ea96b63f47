package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reel/analyze"
	"reel/formats"
	"reel/internal/query"
	"reel/timeline"
)

// queryFlags are the flags of reel query.
type queryFlags struct {
	summaryFlags
	schema  bool
	recipe  string
	limit   int
	timeout time.Duration
}

func (a *app) queryCmd() *cobra.Command {
	var flags queryFlags
	var out *output
	c := &cobra.Command{
		Use:     "query [PATH...] 'SQL'",
		Short:   "SQL over a timeline",
		GroupID: "read",
		Long: `Answers one SELECT over the tables range, activity, launch, mark, counter, request,
stage, step, gap, track and string and the views attributed, step_work and
stage_work; --schema documents them. The dialect is SQLite's. Several files are the
ranks of one job. Nothing can be written, and no other file read.

Text and Markdown show the first 1000 rows, JSON and CSV all of them; --limit says
otherwise. --recipe NAME asks one of the queries that --schema lists.`,
		Example: `  reel query trace.json.gz 'SELECT name, sum(dur_ns) FROM activity GROUP BY 1 ORDER BY 2 DESC LIMIT 5'
  reel query trace.json.gz --recipe gaps
  reel query --schema`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			form, err := out.form()
			if err != nil {
				return err
			}
			if flags.schema {
				return a.printSchema(args, form)
			}
			paths, sql, err := flags.question(args)
			if err != nil {
				return err
			}
			if !c.Flags().Changed("limit") && (form == asJSON || form == asCSV) {
				flags.limit = 0
			}
			return a.query(c.Context(), paths, sql, form, &flags)
		}),
	}
	flags.add(c)
	c.Flags().BoolVar(&flags.schema, "schema", false, "document the tables, views and recipes")
	c.Flags().StringVar(&flags.recipe, "recipe", "", "ask a ready query by its `NAME` instead of SQL")
	c.Flags().IntVar(&flags.limit, "limit", 1000, "how many rows to print; 0 is all")
	c.Flags().DurationVar(&flags.timeout, "timeout", time.Minute, "give up after this long; 0 is never")
	_ = c.RegisterFlagCompletionFunc("recipe", cobra.FixedCompletions(recipeNames(), cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
	out = formatFlags(c, querySchema)
	return c
}

func recipeNames() (names []string) {
	for _, r := range query.Recipes() {
		names = append(names, r.Name)
	}
	return names
}

// question returns what to ask of which files.
func (f *queryFlags) question(args []string) (paths []string, sql string, err error) {
	if f.limit < 0 || f.timeout < 0 {
		return nil, "", misusef("--limit and --timeout cannot be negative")
	}
	if f.recipe != "" {
		i := slices.Index(recipeNames(), f.recipe)
		if i < 0 {
			return nil, "", misusef("--recipe %q: there are %s", f.recipe, strings.Join(recipeNames(), ", "))
		}
		return args, query.Recipes()[i].SQL, nil
	}
	if len(args) == 0 {
		return nil, "", misusef("no SQL given; 'reel query --schema' shows what there is to ask")
	}
	sql = args[len(args)-1]
	if len(strings.Fields(sql)) < 2 {
		return nil, "", misusef("%q is no SQL; the query stands last, in quotes", sql)
	}
	return args[:len(args)-1], sql, nil
}

func (a *app) printSchema(args []string, form string) error {
	if len(args) > 0 {
		return misusef("--schema takes no arguments, got %q", args[0])
	}
	text := query.SchemaText()
	switch form {
	case asMarkdown:
		text = query.SchemaMarkdown()
	case asJSON, asCSV:
		return misusef("--schema is printed as text or markdown")
	}
	_, err := fmt.Fprint(a.Out, text)
	return err
}

// query reads the traces and prints the answer.
func (a *app) query(ctx context.Context, paths []string, sql, form string, flags *queryFlags) error {
	roles, err := flags.table()
	if err != nil {
		return err
	}
	files, err := a.inputs(paths)
	if err != nil {
		return err
	}
	ranks := make([]analyze.Rank, len(files))
	err = a.load(ctx, files, loadOptions{read: formats.Options{NoPython: flags.noPython}}, func(i int, tl *timeline.Timeline) error {
		ranks[i] = analyze.Rank{TL: tl, Derived: analyze.Derive(tl, roles), Path: files[i].path, Index: i}
		if tl.Info.Rank != nil {
			ranks[i].Index = *tl.Info.Rank
		}
		return nil
	})
	if err != nil {
		return err
	}
	ranks = slices.DeleteFunc(ranks, func(r analyze.Rank) bool { return r.TL == nil }) // passed over
	limited, stop := ctx, context.CancelFunc(func() {})
	if flags.timeout > 0 {
		limited, stop = context.WithTimeout(ctx, flags.timeout)
	}
	defer stop()
	err = a.queryRanks(limited, ranks, sql, form, flags.limit)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("not done after %v; --timeout allows more", flags.timeout)
	}
	return err
}

// queryRanks runs one statement over ranks and prints its rows.
func (a *app) queryRanks(ctx context.Context, ranks []analyze.Rank, sql, form string, limit int) error {
	db, err := query.Open(ctx, ranks)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	return a.printRows(rows, form, limit)
}
