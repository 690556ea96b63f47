package cli

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"reel/lantern/tensorfile"
)

func (a *app) startupCompareCmd() *cobra.Command {
	var asDoc bool
	var tolerance float64
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "two output tensors: how far they are apart",
		Long: `Compares the tensors of two files, .safetensors or .pt in any mixture: the largest
absolute and relative error, the cosine, and where they first differ. This is the
parity check of a start-up measurement, against the output of an independent run.
With --tolerance the exit code is 3 when the largest absolute error is above it.`,
		Example: `  reel startup compare ours.safetensors theirs.pt
  reel startup compare ours.pt theirs.pt --tolerance 1e-4`,
		RunE: a.run(func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return misusef("two files are wanted")
			}
			x, err := tensorfile.Read(args[0])
			if err != nil {
				return err
			}
			y, err := tensorfile.Read(args[1])
			if err != nil {
				return err
			}
			d, err := tensorfile.Compare(x, y)
			if err != nil {
				return err
			}
			if err := a.printDifference(d, asDoc); err != nil {
				return err
			}
			if c.Flags().Changed("tolerance") && !(d.Absolute <= tolerance) {
				return errGate
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asDoc, "json", false, "print one JSON document, reel.compare/1")
	c.Flags().Float64Var(&tolerance, "tolerance", 0, "the largest absolute error that is allowed")
	return c
}

func (a *app) printDifference(d tensorfile.Difference, asDoc bool) error {
	if asDoc {
		for _, v := range []*float64{&d.Absolute, &d.Relative} {
			if math.IsInf(*v, 0) { // JSON has no infinity
				*v = math.MaxFloat64
			}
		}
		if math.IsNaN(d.Cosine) {
			d.Cosine = 0
		}
		return json.NewEncoder(a.Out).Encode(struct {
			Schema string `json:"schema"`
			tensorfile.Difference
		}{"reel.compare/1", d})
	}
	if d.Equal {
		_, err := fmt.Fprintf(a.Out, "equal, bit by bit: shape %s\n", d.Shape)
		return err
	}
	_, err := fmt.Fprintf(a.Out, "shape %s\n%d elements differ, the first at %v (element %d)\nlargest absolute error %.4g · largest relative error %.4g · cosine %.9f\n",
		d.Shape, d.Differ, d.Index, *d.First, d.Absolute, d.Relative, d.Cosine)
	return err
}
