package nsysstats

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/golden"
	"reel/timeline"
)

// read builds a timeline of a trace in the text form.
func read(t testing.TB, text string) Source {
	t.Helper()
	src, err := event.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: Args})
	if err != nil {
		t.Fatal(err)
	}
	return Source{TL: tl, Name: "all.trace.txt"}
}

func file(t testing.TB, name string) Source {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, string(text))
}

func report(t testing.TB, name string, opt Options, srcs ...Source) *Report {
	t.Helper()
	r, err := Run(srcs, name, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReports keeps every report of one trace, in every form.
func TestReports(t *testing.T) {
	src := file(t, "all.trace.txt")
	for _, name := range append(Names(), "cuda_gpu_kern_sum:base", "cuda_gpu_kern_sum:nvtx-name:base", "nvtx_kern_sum:mangled") {
		list := []*Report{report(t, name, Options{}, src)}
		var text, comma, doc bytes.Buffer
		for _, err := range []error{WriteColumns(&text, list, 0), WriteCSV(&comma, list), WriteJSON(&doc, list)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		base := strings.ReplaceAll(name, ":", "_")
		golden.Check(t, base+".txt", text.Bytes())
		golden.Check(t, base+".csv", comma.Bytes())
		golden.Check(t, base+".json", doc.Bytes())
		if !json.Valid(doc.Bytes()) {
			t.Errorf("%s: no JSON: %s", name, doc.String())
		}
		if _, err := csv.NewReader(&comma).ReadAll(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// cells is a report's rows with their columns, as the CSV has them.
func cells(r *Report) string {
	var b strings.Builder
	for k := range r.Len {
		row := r.Row(k)
		for i, c := range r.Cols {
			if i > 0 {
				b.WriteByte('|')
			}
			b.WriteString(c.raw(row[i]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestNumbers compares with numbers worked out by hand.
func TestNumbers(t *testing.T) {
	src := file(t, "all.trace.txt")
	for name, want := range map[string]string{
		// 100 and 50 make one row of two processes; the deviation is that of a sample.
		"nvtx_startend_sum":     "100.0|40000|1|40000.0|40000.0|40000|40000|0.0|:span\n",
		"cuda_gpu_mem_size_sum": "1.049|1|1.049|1.049|1.049|1.049|0.000|[CUDA memcpy Host-to-Device]\n0.004|1|0.004|0.004|0.004|0.004|0.000|[CUDA memset]\n0.001|1|0.001|0.001|0.001|0.001|0.000|[CUDA memcpy Device-to-Host]\n",
		"cuda_gpu_mem_time_sum": "46.2|6000|1|6000.0|6000.0|6000|6000|0.0|[CUDA memcpy Device-to-Host]\n38.5|5000|1|5000.0|5000.0|5000|5000|0.0|[CUDA memcpy Host-to-Device]\n15.4|2000|1|2000.0|2000.0|2000|2000|0.0|[CUDA memset]\n",
	} {
		if got := cells(report(t, name, Options{}, src)); got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
	if got := cells(report(t, "nvtx_sum", Options{}, src)); !strings.Contains(got, "|150000|2|75000.0|75000.0|50000|100000|35355.3|PushPop|:outer\n") ||
		!strings.Contains(got, "|6000|1|6000.0|6000.0|6000|6000|0.0|PushPop|NCCL:ncclAllReduce\n") || strings.Contains(got, ":open\n") {
		t.Errorf("nvtx_sum:\n%s", got)
	}
	proj := cells(report(t, "nvtx_gpu_proj_sum", Options{}, src))
	for _, want := range []string{
		":outer|PushPop|128000|150000|2|64000.0|64000.0|32000|96000|45254.8|9|4.5|0.0|1.5\n", // 40 to 136, and 20 to 52 µs
		"NCCL:ncclAllReduce|PushPop|20000|6000|1|20000.0|20000.0|20000|20000|0.0|1|1.0|2.0|0.0\n",
	} {
		if !strings.Contains(proj, want) {
			t.Errorf("nvtx_gpu_proj_sum lacks %s:\n%s", want, proj)
		}
	}
	if strings.Contains(proj, "no work") || strings.Contains(proj, "span") {
		t.Errorf("ranges without work, or on no thread, are projected:\n%s", proj)
	}
}

// TestNative makes one row of what differs by a number.
func TestNative(t *testing.T) {
	for name, want := range map[string]string{
		"aten::mm, op_id = 7": "aten::mm", "aten::mm, seq = 3, op_id = 2": "aten::mm", "x, sizes = [[1, 2]]": "x", ", op_id = 1": ", op_id = 1",
		"model.step[12]": "model.step[i]", "present.frame [step 3]": "present.frame [step N]", "f [gen 2, step 3]": "f [gen N, step N]",
		"ProfilerStep#12": "ProfilerStep#N", "ProfilerStep#": "ProfilerStep#", "a[b]": "a[b]", "a[]": "a[]", "[3]": "[i]", "[3": "[3", "": "",
	} {
		if got := normal(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	src := file(t, "all.trace.txt")
	got := cells(report(t, "nvtx_pushpop_sum", Options{Native: true}, src))
	if !strings.Contains(got, "|20000|2|10000.0|10000.0|10000|10000|0.0|:aten::mm\n") || strings.Contains(got, "op_id") {
		t.Errorf("native:\n%s", got)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{"cudaLaunchKernel_v7000": "cudaLaunchKernel", "cudaGraphLaunch_v10000": "cudaGraphLaunch_v10000",
		"cudaLaunchKernelExC_v11060": "cudaLaunchKernelExC_v11060", "cuMemAlloc_v2": "cuMemAlloc_v2", "_v7000": "_v7000", "x_v70a0": "x_v70a0"} {
		if got := callName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"void at::native::vectorized_elementwise_kernel<4, at::Foo<int>, T>(int, T)": "vectorized_elementwise_kernel",
		"void at::native::(anonymous namespace)::dist<(int)4>(x)": "dist", "triton_poi_fused_0": "triton_poi_fused_0", "f": "f", "": "",
		"void a<b>::c<d>(e)": "c", "(x)": "(x)", "<": "<", "a b c(": "c", "std::enable_if<(x)>::type f<1>(int)": "f"} {
		if got := baseName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"Memcpy HtoD (Pageable -> Device)": "[CUDA memcpy Host-to-Device]", "[CUDA memcpy Peer-to-Peer]": "[CUDA memcpy Peer-to-Peer]",
		"CopyHostToDevice": "[CUDA memcpy Host-to-Device]", "upload": "upload"} {
		if got := operation(name, event.Copy); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestSkipped says in nsys' words what a file lacks, for every report.
func TestSkipped(t *testing.T) {
	src := read(t, "info rank 1\n")
	for _, name := range Names() {
		r := report(t, name, Options{}, src)
		if !strings.HasPrefix(r.Skipped, "all.trace.txt does not contain ") || !strings.HasSuffix(r.Skipped, " data.") || r.Len > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, want := range map[string]string{"nope": `no report "nope"; there are nvtx_sum,`, "nvtx_sum:base": `report nvtx_sum takes no argument "base"; it takes none`} {
		if _, err := Run(nil, name, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFree projects ranges on a row of their own by the thread that the row tells.
func TestFree(t *testing.T) {
	src := read(t, `track cpu1/5
range runtime "launch" at 10us for 2us cause 1
range runtime "launch" at 20us for 2us cause 2
range runtime "launch" at 30us for 2us cause 3
track gpu0/0
gpu "k" at 100us for 1us cause 1
gpu "k" at 90us for 1us cause 2
gpu "j" at 200us for 5us cause 3
track row1/5
range "all"    at 10us for 22us args {"style": "StartEnd"}
range "second" at 15us for 16us args {"style": "StartEnd"}
`)
	want := ":all|StartEnd|115000|22000|1|115000.0|115000.0|115000|115000|0.0|3|3.0|0.0|0.0\n" +
		":second|StartEnd|1000|16000|1|1000.0|1000.0|1000|1000|0.0|1|1.0|0.0|0.0\n" // the third call ends behind it
	if got := cells(report(t, "nvtx_gpu_proj_sum", Options{}, src)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	want = ":all|StartEnd|1|5|1|1|5000|5000.0|5000.0|5000|5000|0.0|j\n:all|StartEnd|1|5|1|2|2000|1000.0|1000.0|1000|1000|0.0|k\n" +
		":second|StartEnd|1|5|1|1|1000|1000.0|1000.0|1000|1000|0.0|k\n"
	if got := cells(report(t, "nvtx_kern_sum", Options{}, src)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestProjectionByDefinition compares random nests with the definition: for each
// range, all activities whose launch lies within it on its thread.
func TestProjectionByDefinition(t *testing.T) {
	for seed := range uint64(20) {
		tl := nest(t, seed).TL
		in := newInput(Source{TL: tl}, Options{})
		var n noted
		p := in.project(&n)
		for i := range tl.Ranges.Start {
			r := timeline.RangeID(i)
			from, to, ops := int64(0), int64(0), 0
			for k := range tl.Activities.Start {
				l := tl.Activities.Launch[k]
				if l == timeline.NoRange || tl.RangeTrack(l) != tl.RangeTrack(r) || tl.Ranges.Start[l] < tl.Ranges.Start[r] || tl.Ranges.End(l) > tl.Ranges.End(r) {
					continue
				}
				if ops == 0 {
					from, to = tl.Activities.Start[k], tl.Activities.End(k)
				}
				from, to, ops = min(from, tl.Activities.Start[k]), max(to, tl.Activities.End(k)), ops+1
			}
			if int(p.ops[r]) != ops || ops > 0 && (p.first[r] != from || p.last[r] != to) {
				t.Fatalf("seed %d, range %d: %d from %d to %d, want %d from %d to %d", seed, i, p.ops[r], p.first[r], p.last[r], ops, from, to)
			}
		}
	}
}

// nest makes properly nested ranges on two threads with launches at the leaves.
func nest(t *testing.T, seed uint64) Source {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 3))
	var host, gpu strings.Builder
	link := 0
	var grow func(at, dur, depth int)
	grow = func(at, dur, depth int) {
		fmt.Fprintf(&host, "range \"r%d\" at %dus for %dus\n", rnd.IntN(4), at, dur)
		if depth == 0 || dur < 30 {
			link++
			fmt.Fprintf(&host, "range runtime \"launch\" at %dus for 2us cause %d\n", at+3, link)
			for range rnd.IntN(3) {
				fmt.Fprintf(&gpu, "track gpu0/%d\ngpu \"k\" at %dus for %dus cause %d\n", rnd.IntN(2), 5000+rnd.IntN(5000), rnd.IntN(50), link)
			}
			return
		}
		for x := at + 5; x+30 < at+dur; {
			w := min(12+rnd.IntN(dur), at+dur-5-x)
			grow(x, w, depth-1)
			x += w + rnd.IntN(10) + 5
		}
	}
	for thread := range 2 {
		fmt.Fprintf(&host, "track cpu1/%d\n", thread)
		grow(0, 1000, 5)
		grow(1100, 600, 4)
	}
	return read(t, host.String()+gpu.String())
}

// TestHostile runs every report on names that try to break out.
func TestHostile(t *testing.T) {
	names := []string{"", "\n", "\x1b[31m", "\xff", "\"", ",", "<", "\u202e", strings.Repeat("x", 5000), "=1+1", ", op_id = ", "_v1234", "[step ]"}
	var b strings.Builder
	for i, n := range names {
		fmt.Fprintf(&b, "track cpu1/1 %q\nrange %q at %dus for 9us args {\"domain\": %q}\nrange runtime %q at %dus for 1us cause %d\ntrack gpu0/1\ngpu %q at %dus for 9223372036854775807ns cause %d\ngpu copy %q at %dus for 1us value -5\n",
			"t", n, 10*i, "d", n, 10*i+2, i+1, n, 10*i, i+1, n, 10*i)
	}
	src := read(t, strings.ReplaceAll(b.String(), "9223372036854775807ns", "4611686018427387903ns"))
	for _, name := range Names() {
		for _, native := range []bool{false, true} {
			list := []*Report{report(t, name, Options{Native: native, Limit: 5}, src)}
			var text, doc bytes.Buffer
			if err := WriteColumns(&text, list, 80); err != nil {
				t.Fatal(err)
			}
			if err := WriteJSON(&doc, list); err != nil || !json.Valid(doc.Bytes()) {
				t.Errorf("%s: %v: %q", name, err, doc.String())
			}
			if strings.ContainsAny(text.String(), "\x1b\u202e") {
				t.Errorf("%s: control characters: %q", name, text.String())
			}
		}
	}
}
