// Package walktest makes ranks for the tests of writers: from text, from the
// generator of traces, from the samples beside the repository. Only tests import
// it.
package walktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"reel/analyze"
	"reel/event"
	"reel/internal/samples"
	"reel/internal/synth"
	"reel/read/kineto"
	"reel/timeline"
)

// Text makes a rank of a trace in the text form.
func Text(t testing.TB, text string) analyze.Rank {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return build(t, src, "trace.txt")
}

// File makes a rank of a file in the text form.
func File(t testing.TB, path string) analyze.Rank {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Text(t, string(text))
}

// Synth makes a rank of a generated trace, and tells what is in it.
func Synth(t testing.TB, o synth.Options) (analyze.Rank, synth.Truth) {
	t.Helper()
	var b bytes.Buffer
	truth, err := synth.Write(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	src, err := kineto.New(context.Background(), &b, "synth.json", kineto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return build(t, src, "synth.json"), truth
}

// SD35 is the sample that speeds are measured on.
const SD35 = "kineto/tl_mi300x_sd35_xdit.json.gz"

// Samples are real traces that differ in what they hold: call stacks, graph
// replays, work without launches, waits, times that cannot be true, no device at
// all. Under the race detector, which is slow, the large ones are left out.
func Samples() []string {
	small := []string{"kineto/tl_h100_qwen_unlinked_kernels.json.gz", "kineto/tl_amd_vllm_hipgraph_replay.json.gz",
		"kineto/hta_a100_cuda_sync_multistream.json.gz", "kineto/hta_cpu_only_gloo.pt.trace.json.gz",
		"kineto/hta_a100_alexnet_extid_eq_corr.json.gz", "damaged/p13_corrupt_head_kernel_ts_zero_neg.json"}
	if race {
		return small
	}
	return append(small, SD35, "kineto/tl_mi300x_flux1_xdit_graph.json.gz", "kineto/hta_v100_2022_diff_test.json.gz",
		"kineto/hta_v100_profile_memory.json.gz", "kineto/hta_v100_ns_absolute_ts.pt.trace.json.gz")
}

// Sample makes a rank of a sample and skips t when it is not there.
func Sample(t testing.TB, name string) analyze.Rank {
	t.Helper()
	src, err := kineto.Open(context.Background(), samples.File(t, name), kineto.Options{Args: analyze.OpsArgs})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return build(t, src, name)
}

func build(t testing.TB, src event.Source, path string) analyze.Rank {
	t.Helper()
	tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: analyze.OpsArgs})
	if err != nil {
		t.Fatal(err)
	}
	roles, err := analyze.LoadRoles()
	if err != nil {
		t.Fatal(err)
	}
	r := analyze.Rank{TL: tl, Derived: analyze.Derive(tl, roles), Path: path}
	if tl.Info.Rank != nil {
		r.Index = *tl.Info.Rank
	}
	return r
}

// Random makes a rank of ranges and activities that overlap in every way: on two
// threads and two streams, some without a cause, some without a length.
func Random(t testing.TB, seed uint64, n int) analyze.Rank {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "track cpu1/%d\nrange op \"op%d\" at %dus for %dus id %d\n", rnd.IntN(2), rnd.IntN(5), rnd.IntN(n), rnd.IntN(20), i+1)
		fmt.Fprintf(&b, "range runtime \"launch\" at %dus for %dus cause %d\n", rnd.IntN(n), rnd.IntN(3), i+1)
		class := []string{"kernel", "copy", "gpuannotation", "sync"}[rnd.IntN(4)]
		fmt.Fprintf(&b, "track gpu0/%d\ngpu %s \"k%d\" at %dus for %dus cause %d\n", rnd.IntN(2), class, rnd.IntN(5), rnd.IntN(n), rnd.IntN(20), rnd.IntN(2*n))
	}
	return Text(t, b.String())
}

// Hostile makes a rank whose names try to break out of every format.
func Hostile(t testing.TB) analyze.Rank {
	t.Helper()
	names := []string{"", " ", ";", "a;b 12", "\n", "\r\n", "\x00", "\xff\xfe", "\xed\xa0\x80", "\u2028", "\u0085", "\u00a0", "\u202e", "\"", "\\", "\\u0022",
		"</script>", "a.py(3): f\x80", "a.py(99999999999): f", "(1): f", "): ", "nn.Module: ", strings.Repeat("x", 100_000), "é" + strings.Repeat("é", 10_000)}
	var b strings.Builder
	at := 0
	for i, name := range names {
		at += 10
		fmt.Fprintf(&b, "track cpu1/1 %q\nrange python %q at %dus for 9us\n", name, name, at)
		fmt.Fprintf(&b, "range op stage %q at %dus for 8us\nrange runtime %q at %dus for 1us cause %d\n", name, at+1, name, at+2, i+1)
		fmt.Fprintf(&b, "mark %q at %dus value 1\ncounter %q at %dus value 1\n", name, at, name, at)
		fmt.Fprintf(&b, "track gpu0/%d %q\ngpu %q at %dus for 15us cause %d\ngpu gpuannotation %q at %dus for 15us\n", i%3, name, name, at+3, i+1, name, at)
		fmt.Fprintf(&b, "track cpu%q %q\nrange %q at %dus for 5us\n", "pid/"+name, name, name, at)
		fmt.Fprintf(&b, "track gpu%q\ngpu %q at %dus for 5us\n", name, name, at)
	}
	fmt.Fprintf(&b, "info host %q\ninfo producer %q\ninfo device 0 %q\n", names[7], names[4], names[13])
	r := Text(t, b.String())
	r.Path = "a\n\xff\".json"
	return r
}

// ErrFull is the error of a Full writer.
var ErrFull = errors.New("no space left")

// Full is a writer that fails after so many bytes.
type Full int

// Write fails with ErrFull once too much was written.
func (f *Full) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		return int(*f), ErrFull
	}
	*f -= Full(len(p))
	return len(p), nil
}
