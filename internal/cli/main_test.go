package cli

import (
	"context"
	"os"
	"testing"
)

// asReel is the variable by which tests have the test program be reel, for verbs
// that start themselves as another process.
const asReel = "REEL_TEST_AS_REEL"

func TestMain(m *testing.M) {
	if os.Getenv(asReel) == "1" {
		os.Exit(Run(context.Background(), os.Args[1:], Std))
	}
	os.Exit(m.Run())
}
