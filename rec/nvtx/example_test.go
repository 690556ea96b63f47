package nvtx_test

import (
	"context"
	"fmt"
	"os"

	"reel/rec"
	"reel/rec/nvtx"
)

// A program that passes its ranges on to Nsight: run as it is, with REEL_NVTX=1, or
// under nsys profile.
func Example() {
	w, err := rec.FromEnv(os.Getenv, rec.EnvOptions{NVTX: nvtx.Open})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Shutdown()
	err = w.Request(context.Background(), rec.RequestOptions{}, func(ctx context.Context) error {
		defer rec.Stage(ctx, "decode").End()
		return nil
	})
	fmt.Println(err)
	// Output: <nil>
}
