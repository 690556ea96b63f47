package window

import (
	"encoding/json"
	"os"
	"testing"
)

// vectorFile is testdata/vectors.json: what Reel's clients in other languages read too.
type vectorFile struct {
	Parse []struct{ Value, Want, Reason string }
	Gate  []struct {
		Spec, Program, Want string
		Loops               int
	}
	Report   []struct{ Spec, Program, Want string }
	Schedule []struct {
		Schedule Schedule
		Want     string
	}
}

func vectors(t *testing.T) (v vectorFile) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil || len(v.Parse) == 0 || len(v.Gate) == 0 || len(v.Report) == 0 || len(v.Schedule) == 0 {
		t.Fatal("testdata/vectors.json: ", err)
	}
	return v
}
