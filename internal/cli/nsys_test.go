package cli

import (
	"context"
	"path/filepath"
	"testing"

	"reel/internal/golden"
	"reel/internal/nsysgen"
)

// TestNsysCases: what summary and check say of each synthetic export, in the columns of
// both generations.
func TestNsysCases(t *testing.T) {
	for _, name := range nsysgen.Cases() {
		t.Run(name, func(t *testing.T) {
			said := map[nsysgen.Schema]string{}
			for _, schema := range []nsysgen.Schema{nsysgen.New, nsysgen.Old} {
				path := filepath.Join(t.TempDir(), name+".sqlite")
				if err := nsysgen.Write(context.Background(), path, name, schema); err != nil {
					t.Fatal(err)
				}
				for _, verb := range []string{"summary", "check"} {
					said[schema] += "$ reel " + verb + " " + name + ".sqlite\n" + good(t, verb, path) + "\n"
				}
			}
			golden.String(t, "nsys/"+name+".txt", said[nsysgen.New])
			if said[nsysgen.Old] != said[nsysgen.New] {
				golden.String(t, "nsys/"+name+"."+string(nsysgen.Old)+".txt", said[nsysgen.Old])
			}
		})
	}
}
