package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"reel/internal/display"
	"reel/internal/golden"
	"reel/internal/synth"
)

// made writes a generated trace into the working folder.
func made(t testing.TB, name string, o synth.Options) string {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := synth.Write(f, o); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// at prints the same report at the widths that people have.
func at(t *testing.T, name string, args ...string) {
	t.Helper()
	for _, width := range []int{80, 160} {
		columns := fmt.Sprintf("COLUMNS=%d", width)
		out := good(t, append([]string{columns}, args...)...)
		for line := range strings.Lines(out) {
			if n := display.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%s: a line takes %d cells of %d: %q", name, n, width, line)
			}
		}
		golden.String(t, fmt.Sprintf("%s_%d.txt", name, width), out)
	}
}

func TestSummaryText(t *testing.T) {
	trace := tiny(t)
	at(t, "summary/tiny", "summary", trace)
	folder(t)
	at(t, "summary/steps50", "summary", made(t, "steps50.json", synth.Options{Seed: 2, Steps: 50, Layers: 2, Python: true}))
	at(t, "summary/requests2", "summary", made(t, "requests2.json", synth.Options{Seed: 3, Requests: 2, Layers: 2, Graph: true, Python: true, Vendor: synth.ROCm}))
	at(t, "summary/requests20", "summary", made(t, "requests20.json", synth.Options{Seed: 4, Requests: 20, Steps: 4, Layers: 1, Annotations: true}))
	var ranks []string
	for r := range 4 {
		ranks = append(ranks, made(t, fmt.Sprintf("rank%d.json", r),
			synth.Options{Seed: uint64(r), Rank: r, WorldSize: 6, Layers: 2, Python: true, Collectives: true}))
	}
	at(t, "summary/ranks4", append([]string{"summary"}, ranks...)...)
	golden.String(t, "summary/tiny.md", good(t, "summary", "--format", "markdown", trace))
	golden.String(t, "summary/tiny.csv", good(t, "summary", "--format", "csv", trace))
}

// folder moves the test to a folder of its own; goldens still come from here.
func folder(t *testing.T) {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(here+"/testdata", dir+"/testdata"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

// TestSummaryOfUnusualTraces shows traces in the text form that lack something, or
// are odd.
func TestSummaryOfUnusualTraces(t *testing.T) {
	texts := map[string]string{
		"cpu_only": `
track cpu1/2
range "encode_prompt" at 0ms for 2ms
range "denoising_step_0" at 3ms for 9ms
range "denoising_step_1" at 13ms for 4ms
range "denoising_step_2" at 18ms for 4ms
range "denoising_step_3" at 23ms for 4ms
range "vae_decode" at 28ms for 3ms
`,
		"gpu_only": `
info device 0 "Tiny GPU"
track gpu0/7
gpu "void at::native::vectorized_elementwise_kernel<4, Foo>(int)" at 1ms for 2ms
gpu "ncclDevKernel_AllReduce" at 2ms for 4ms
gpu copy "Memcpy HtoD" at 9ms for 1ms
`,
		"hostile": "track cpu1/2\nrange \"encode_prompt\\x1b[31m\\n\" at 0ms for 2ms\n" +
			"range step \"\\u202estep\" at 3ms for 9ms\nrange step \"\\xff\" at 13ms for 9ms\n",
		"two_devices": `
info device 0 "Tiny GPU"
info device 1 "Tiny GPU"
track gpu0/7
gpu "a" at 1ms for 2ms
track gpu1/7
gpu "b" at 2ms for 2ms
`,
		"nothing":   "info rank 3\n",
		"slow_step": slowStep(),
	}
	folder(t)
	for name, text := range texts {
		write(t, name+".trace.txt", text)
		at(t, "unusual/"+name, "summary", name+".trace.txt")
	}
}

// slowStep has thirty steps on a device, one of them slow, in two loops.
func slowStep() string {
	var b strings.Builder
	at, link := 0, 0
	for i := range 30 {
		d := 1000
		if i == 17 {
			d = 2700
		}
		if i == 20 {
			fmt.Fprintf(&b, "track cpu1/2\nrange \"vae_decode\" at %dus for 500us\n", at)
			at += 600
		}
		link++
		fmt.Fprintf(&b, "track cpu1/2\nrange step \"step\" at %dus for %dus\nrange runtime \"cudaLaunchKernel\" at %dus for 5us cause %d\n", at, d, at+10, link)
		fmt.Fprintf(&b, "track gpu0/7\ngpu \"k\" at %dus for %dus cause %d\n", at+20, d*3/4, link)
		at += d + 100
	}
	return b.String()
}
