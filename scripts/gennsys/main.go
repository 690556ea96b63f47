// Command gennsys writes synthetic exports of Nsight Systems: a big one for measurements,
// or the small ones that the tests use, to look at.
//
//	go run ./scripts/gennsys -rows 5000000 -o /tmp/big.sqlite
//	go run ./scripts/gennsys -cases -o /tmp/cases
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"reel/internal/nsysgen"
)

func main() {
	var b nsysgen.Big
	flag.IntVar(&b.Rows, "rows", 5_000_000, "rows of each of the three big tables")
	flag.IntVar(&b.Processes, "processes", 1, "processes, each with a device of its own")
	old := flag.Bool("old", false, "columns of schema 3.17 instead of 3.25")
	cases := flag.Bool("cases", false, "write the small exports into a folder instead")
	out := flag.String("o", "", "the `FILE` or folder to write, which must not exist")
	flag.Parse()
	if err := run(*out, b, *old, *cases); err != nil {
		fmt.Fprintln(os.Stderr, "gennsys:", err)
		os.Exit(1)
	}
}

func run(out string, b nsysgen.Big, old, cases bool) error {
	if out == "" {
		return fmt.Errorf("-o names the file to write")
	}
	b.Schema = nsysgen.New
	if old {
		b.Schema = nsysgen.Old
	}
	ctx := context.Background()
	if !cases {
		return nsysgen.WriteBig(ctx, out, b)
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	for _, c := range nsysgen.Cases() {
		if err := nsysgen.Write(ctx, filepath.Join(out, c+".sqlite"), c, b.Schema); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}
