package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/analyze"
	"reel/event"
	"reel/internal/golden"
	"reel/internal/samples"
	"reel/read/kineto"
	"reel/timeline"
)

var keepArgs = timeline.Options{Args: analyze.OpsArgs}

func roleTable(t testing.TB) *analyze.Roles {
	t.Helper()
	roles, err := analyze.LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	return roles
}

// built builds a rank of a source.
func built(t testing.TB, src event.Source, err error, path string) analyze.Rank {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	tl, err := timeline.Build(context.Background(), src, keepArgs)
	if err != nil {
		t.Fatal(err)
	}
	r := analyze.Rank{TL: tl, Derived: analyze.Derive(tl, roleTable(t)), Path: path}
	if tl.Info.Rank != nil {
		r.Index = *tl.Info.Rank
	}
	return r
}

// opened reads a trace of Kineto's form.
func opened(t testing.TB, r io.Reader, path string) analyze.Rank {
	t.Helper()
	src, err := kineto.New(context.Background(), r, path, kineto.Options{Args: analyze.OpsArgs, Workers: 2})
	return built(t, src, err, path)
}

func openFile(t testing.TB, path string) analyze.Rank {
	t.Helper()
	src, err := kineto.Open(context.Background(), path, kineto.Options{Args: analyze.OpsArgs, Workers: 2})
	return built(t, src, err, path)
}

// textRank reads the text form of a trace.
func textRank(t testing.TB, text string) analyze.Rank {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	return built(t, src, err, "")
}

// sampleFiles are all samples that open.
func sampleFiles(t testing.TB) (files []string) {
	t.Helper()
	for _, pattern := range []string{"kineto/*", "damaged/*", "torch/generated*.json", "multirank/*worker0*"} {
		list, _ := filepath.Glob(filepath.Join(samples.Shared(t), pattern))
		for _, path := range list {
			if src, err := kineto.Open(context.Background(), path, kineto.Options{}); err == nil && !strings.Contains(path, "key_averages") {
				src.Close()
				files = append(files, path)
			}
		}
	}
	return files
}

// skipLarge leaves large samples to long tests.
func skipLarge(t *testing.T, path string) {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	limit := int64(1 << 20)
	if raceEnabled {
		limit = 64 << 10
	}
	if st.Size() > limit && !long() {
		t.Skip("large sample: REEL_LONG_TESTS=1 compares it too")
	}
}

// long reports whether tests may take their time.
func long() bool { return os.Getenv("REEL_LONG_TESTS") != "" }

var raceEnabled bool

// asJSON is v for comparing.
func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sameRun compares summary and operator tables of two readings of one run.
func sameRun(t *testing.T, got, want analyze.Rank) {
	t.Helper()
	roles := roleTable(t)
	a, b := analyze.Summarize(got.TL, roles), analyze.Summarize(want.TL, roles)
	a.Producer, b.Producer = "", ""
	if diff := golden.Diff([]byte(asJSON(t, b)), []byte(asJSON(t, a))); diff != "" {
		t.Errorf("summary differs: %s", diff)
	}
	for _, by := range []analyze.OpsBy{analyze.OpsByName, analyze.OpsByShape, analyze.OpsByStack} {
		a, b := analyze.Ops(got.TL, analyze.OpsOptions{By: by}), analyze.Ops(want.TL, analyze.OpsOptions{By: by})
		if diff := golden.Diff([]byte(asJSON(t, b)), []byte(asJSON(t, a))); diff != "" {
			t.Errorf("operators by %s differ: %s", by, diff)
		}
	}
}

// checkDrawn checks that no activities of a row overlap in part: viewers would
// drop them.
func checkDrawn(t *testing.T, r analyze.Rank) {
	t.Helper()
	for _, id := range r.TL.DeviceTracks() {
		if crossed(&r.TL.Activities, r.TL.Tracks[id]) {
			t.Errorf("activities of %+v overlap in part", r.TL.Tracks[id])
		}
	}
}

// TestWriteSamples writes the timeline of every sample and reads it again.
func TestWriteSamples(t *testing.T) {
	for _, path := range sampleFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			skipLarge(t, path)
			want := openFile(t, path)
			var b bytes.Buffer
			if _, err := Write(context.Background(), &b, []analyze.Rank{want}, Options{Roles: roleTable(t)}); err != nil {
				t.Fatal(err)
			}
			if !json.Valid(b.Bytes()) {
				t.Error("not valid JSON")
			}
			again := opened(t, &b, "written.json")
			sameRun(t, again, want)
			checkDrawn(t, again)
		})
	}
}
