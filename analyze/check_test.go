package analyze

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/golden"
)

// spread writes JSON over several lines, for goldens that people read.
func spread(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// TestCheckFiles: each text trace has its report beside it.
func TestCheckFiles(t *testing.T) {
	files, _ := filepath.Glob("testdata/check/*.txt")
	if len(files) == 0 {
		t.Fatal("no text traces")
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		t.Run(name, func(t *testing.T) {
			c := Check(textTimeline(t, "check/"+name+".txt"))
			c.Source.Bytes = 0 // editing a comment must not change the golden
			text, err := compact(c)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "check/"+name+".json", spread(t, text))
		})
	}
}

// TestCheckSamples: what is known of the real and the damaged traces, and that
// their summaries survive a file.
func TestCheckSamples(t *testing.T) {
	roles := builtin(t)
	for _, c := range []struct {
		file                 string
		verdict              Verdict
		launches, without    int
		activities, unlinked int
		unsound, overlaps    int
		said                 string // in reasons and notes
	}{
		{"kineto/hta_v100_2022_diff_test.json.gz", Repaired, 9984, 0, 15632, 614, 0, 31, "31 activities start before an earlier one"},
		{"kineto/tl_h100_qwen_unlinked_kernels.json.gz", Sound, 1198, 0, 1707, 509, 0, 0, "509 of 1,707 activities have no launch"},
		{"kineto/tl_h100_vit.json.gz", Sound, 205, 49, 156, 0, 0, 0, "49 of 205 launches have no activity (cudaMemsetAsync 49)"},
		{"kineto/tl_mi300x_sd35_xdit.json.gz", Sound, 8066, 0, 8066, 0, 0, 1, "within the resolution"},
		{"kineto/tl_mi300x_flux1_xdit_graph.json.gz", Sound, 1606, 0, 7866, 0, 0, 0, ""},
		{"kineto/tl_mi300x_resnet_rccl_8gpu.json.gz", Sound, 2685, 0, 3653, 968, 0, 0, ""},
		{"kineto/hta_mtia_inference.json.gz", Sound, 185, 2, 974, 244, 0, 0, ""},
		{"kineto/hta_cupti_range_no_kernels.json.gz", Damaged, 104, 104, 0, 0, 0, 0, "the device part is missing: 104 launches"},
		{"kineto/hta_cpu_only_gloo.pt.trace.json.gz", Sound, 0, 0, 0, 0, 0, 0, ""},
		{"damaged/p01_truncated_mid_event.json", Cut, 10, 10, 0, 0, 0, 0, "device part: at least 10 of 10 launches have no activity"},
		{"damaged/p02_truncated_gzip.json.gz", Cut, 15, 15, 0, 0, 0, 0, "device part: at least 15 of 15 launches have no activity"},
		{"damaged/p03_array_unclosed_trailing_comma.json", Cut, 16, 0, 16, 0, 0, 0, "it ends before"},
		{"damaged/p04_unescaped_quote_in_name.json", Repaired, 1, 0, 1, 0, 0, 0, "not escaped"},
		{"damaged/p07_non_utf8_name.json", Repaired, 1, 0, 1, 0, 0, 0, "UTF-8"},
		{"damaged/p13_corrupt_head_kernel_ts_zero_neg.json", Damaged, 16, 0, 14, 0, 2, 0, "2 activities with times that cannot be true"},
		{"damaged/p15_only_metadata_events.json", Empty, 0, 0, 0, 0, 0, 0, "it holds no range"},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			tl, ok := sampleTimeline(t, c.file)
			if !ok {
				t.Fatal("no trace")
			}
			r := Check(tl)
			if r.Verdict != c.verdict || r.Launches.Calls != c.launches || r.Launches.WithoutActivity != c.without ||
				r.Activities.Count != c.activities || r.Activities.WithoutLaunch != c.unlinked ||
				r.Activities.Unsound != c.unsound || r.Overlaps.Count != c.overlaps {
				t.Errorf("%s: %d launches, %d without; %d activities, %d without, %d unsound; %d overlaps", r.Verdict,
					r.Launches.Calls, r.Launches.WithoutActivity, r.Activities.Count, r.Activities.WithoutLaunch, r.Activities.Unsound, r.Overlaps.Count)
			}
			if text := strings.Join(append(r.Reasons, r.Notes...), "\n"); !strings.Contains(text, c.said) {
				t.Errorf("%q is not said in:\n%s", c.said, text)
			}
			p := encoded(t, newPartial(tl, roles))
			if back := encoded(t, decoded(t, p)); !bytes.Equal(back, p) || strings.Contains(string(p), "impossible-value") {
				t.Errorf("the partial does not survive a file: %s", p)
			}
		})
	}
}

func TestLaunchCalls(t *testing.T) {
	for name, want := range map[string]bool{
		"cudaLaunchKernel": true, "cudaLaunchKernelExC": true, "cudaGraphLaunch": true, "cudaMemcpyAsync": true, "cudaMemset": true,
		"cuLaunchKernelEx": true, "hipLaunchKernel": true, "hipExtLaunchKernel": true, "hipExtModuleLaunchKernel": true, "hipGraphLaunch": true,
		"hipMemcpyWithStream": true, "urEnqueueKernelLaunch": true, "urEnqueueUSMFill": true, "zeCommandListAppendLaunchKernel": true,
		"runFunction - job_prep_and_submit_for_execution": true,
		"cudaDeviceSynchronize":                           false, "cudaLaunchHostFunc": false, "cudaGraphAddMemcpyNode": false, "cudaGraphExecMemcpyNodeSetParams": false,
		"cudaFuncGetAttributes": false, "__cudaPushCallConfiguration": false, "hipMalloc": false, "cudaStreamWaitEvent": false, "": false,
	} {
		if got := isLaunchCall(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
