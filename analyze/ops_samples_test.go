package analyze

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"reel/internal/samples"
	"reel/read/kineto"
	"reel/timeline"
)

// opsSample builds the timeline of a sample trace, without Python calls and
// arguments when none are asked for.
func opsSample(t testing.TB, name string, args ...string) *timeline.Timeline {
	t.Helper()
	opt := kineto.Options{Args: args, NoPython: len(args) == 0}
	src, err := kineto.Open(context.Background(), samples.File(t, name), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	tl, err := timeline.Build(context.Background(), src, timeline.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

// TestOpsKeyAverages compares every row with torch's own table of the same run.
func TestOpsKeyAverages(t *testing.T) {
	tl := opsSample(t, "torch/generated_torch113_tiny_dit_legacy.json")
	data, err := os.ReadFile(samples.File(t, "torch/generated_torch113_tiny_dit_legacy.key_averages.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want []struct {
		Key     string
		Count   int64
		CPU     int64 `json:"cpu_time_total"`      // µs
		SelfCPU int64 `json:"self_cpu_time_total"` // µs
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	rep := Ops(tl, OpsOptions{})
	rows := map[string]OpsRow{}
	for _, r := range rep.Rows {
		rows[r.Name] = r
	}
	if len(rows) != len(want) || len(rep.Rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rep.Rows), len(want))
	}
	var total int64
	for _, w := range want {
		total += w.SelfCPU
		if r := rows[w.Key]; r.Count != w.Count || r.CPU != w.CPU*1000 || r.SelfCPU != w.SelfCPU*1000 {
			t.Errorf("%s: %d calls, %d of %d ns; torch says %d, %d of %d us", w.Key, r.Count, r.SelfCPU, r.CPU, w.Count, w.SelfCPU, w.CPU)
		}
	}
	if rep.SelfCPU != total*1000 {
		t.Errorf("self CPU total %d ns, torch says %d us", rep.SelfCPU, total)
	}
	t.Logf("%d rows equal, self CPU total %d ns", len(want), rep.SelfCPU)
}

// TestOpsOracle compares operators' own device times with TraceLens' direct
// kernel times. TraceLens leaves out what it cannot link, and names the kernels of
// a graph replay by what the graph was captured from, which is not in the trace: there
// the time of the operators outside the graph must be equal, and what TraceLens has
// beyond that must be the time of the operator that launched the graphs.
func TestOpsOracle(t *testing.T) {
	for _, c := range []struct {
		oracle, trace, graph string
		inGraph              string             // the module whose operators were captured
		beyond               map[string]float64 // µs that we count and TraceLens does not
	}{
		{oracle: "h100_vit", trace: "tl_h100_vit"},
		{oracle: "h100_qwen", trace: "tl_h100_qwen_unlinked_kernels"},
		{oracle: "sd35", trace: "tl_mi300x_sd35_xdit", beyond: map[string]float64{"aten::nonzero": 1.882}}, // a memset
		{oracle: "flux1_graph", trace: "tl_mi300x_flux1_xdit_graph", graph: "Torch-Compiled Region: 0/0", inGraph: "nn.Module: OptimizedModule_0"},
		{oracle: "vllm_hipgraph", trace: "tl_amd_vllm_hipgraph_replay", graph: opsNobody, inGraph: "nn.Module: GptOssForCausalLM_0"},
	} {
		t.Run(c.oracle, func(t *testing.T) {
			want := opsOracle(t, "oracle/"+c.oracle+"/ops_summary.csv", c.inGraph)
			got := opsDirect(Ops(opsSample(t, "kineto/"+c.trace+".json.gz"), OpsOptions{}))
			graph := 0.0
			for name, w := range want {
				us := got[name] - c.beyond[name]
				if !opsNear(us, w.all) && (w.captured == 0 || us < w.all-w.captured || us > w.all) {
					t.Errorf("%s: %.3f us, TraceLens says %.3f", name, us, w.all)
				}
				graph += w.all - us
			}
			if c.graph != "" && !opsNear(got[c.graph], graph) {
				t.Errorf("%q has %.3f us, TraceLens says %.3f within", c.graph, got[c.graph], graph)
			}
			for name, us := range got {
				if _, ok := want[name]; !ok && us > 0 && name != c.graph && name != opsNobody {
					t.Errorf("%s: %.3f us, not known to TraceLens", name, us)
				}
			}
			t.Logf("%d operators equal", len(want))
		})
	}
}

// opsNobody stands for the device time that no operator owns.
const opsNobody = "(nobody)"

func opsNear(got, want float64) bool { return math.Abs(got-want) <= 0.001*math.Abs(want) }

// opsDirect gives the operators' own device times, µs.
func opsDirect(rep OpsReport) map[string]float64 {
	out := map[string]float64{opsNobody: float64(*rep.SelfDevice) / 1000}
	for _, r := range rep.Rows {
		if r.DeviceType == "cpu" {
			us := float64(*r.SelfDevice) / 1000
			out[r.Name] += us
			out[opsNobody] -= us
		}
	}
	return out
}

// opsOracleRow is what TraceLens says of an operator, µs.
type opsOracleRow struct{ all, captured float64 }

// opsOracle reads direct kernel times by operator; those of rows whose outermost
// module is graph were captured.
func opsOracle(t testing.TB, name, graph string) map[string]opsOracleRow {
	t.Helper()
	f, err := os.Open(samples.File(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, h := range rows[0] {
		column[h] = i
	}
	out := map[string]opsOracleRow{}
	for _, r := range rows[1:] {
		v, err := strconv.ParseFloat(r[column["total_direct_kernel_time_sum"]], 64)
		if err != nil {
			t.Fatal(err)
		}
		row := out[r[0]]
		row.all += v
		if graph != "" && strings.HasSuffix(r[column["call_stack_first"]], "'"+graph+"']") {
			row.captured += v
		}
		out[r[0]] = row
	}
	return out
}

// TestOpsGroupingsAgree checks that the finer groupings split rows and change no sum.
func TestOpsGroupingsAgree(t *testing.T) {
	for _, name := range []string{"kineto/tl_h100_vit.json.gz", "kineto/tl_mi300x_resnet_rccl_8gpu.json.gz"} {
		tl := opsSample(t, name, OpsArgs...)
		byName := Ops(tl, OpsOptions{})
		for _, by := range []OpsBy{OpsByShape, OpsByStack} {
			rep := Ops(tl, OpsOptions{By: by})
			sums := map[string][8]int64{}
			for _, list := range []struct {
				rows []OpsRow
				sign int64
			}{{byName.Rows, 1}, {rep.Rows, -1}} {
				for _, r := range list.rows {
					key := fmt.Sprint(r.Name, r.DeviceType, r.Annotation)
					s := sums[key]
					for i, v := range []*int64{&r.Count, &r.SelfCPU, &r.CPU, r.SelfDevice, r.Device, r.SelfCPUMemory, r.DeviceMemory, r.FLOPs} {
						if v != nil {
							s[i] += list.sign * *v
						}
					}
					sums[key] = s
				}
			}
			for key, s := range sums {
				if s != [8]int64{} {
					t.Errorf("%s by %s: %s differs by %v", name, by, key, s)
				}
			}
			if rep.SelfCPU != byName.SelfCPU || *rep.SelfDevice != *byName.SelfDevice {
				t.Errorf("%s by %s: totals differ", name, by)
			}
			t.Logf("%s: %d rows by name, %d by %s, notes %q", name, len(byName.Rows), len(rep.Rows), by, rep.Notes)
		}
	}
}

func BenchmarkOps(b *testing.B) {
	tl := opsSample(b, "kineto/tl_mi300x_sd35_xdit.json.gz", OpsArgs...)
	for _, by := range []OpsBy{OpsByName, OpsByShape, OpsByStack} {
		b.Run(string(by), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Ops(tl, OpsOptions{By: by})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*(tl.Ranges.Len()+tl.Activities.Len())), "ns/event")
		})
	}
}
