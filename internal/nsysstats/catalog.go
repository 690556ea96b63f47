package nsysstats

import (
	"fmt"
	"slices"
	"strings"
)

// def is a report that can be asked for.
type def struct {
	name, title string
	args        []string // that it takes
	fill        func(*build)
}

// defs lists the reports.
func defs() []def {
	return []def{
		{"nvtx_sum", "NVTX Range Summary", nil, func(b *build) { b.rangeSum(both) }},
		{"nvtx_pushpop_sum", "NVTX Push/Pop Range Summary", nil, func(b *build) { b.rangeSum(pushPop) }},
		{"nvtx_startend_sum", "NVTX Start/End Range Summary", nil, func(b *build) { b.rangeSum(startEnd) }},
		{"nvtx_gpu_proj_sum", "NVTX GPU Projection Summary", nil, (*build).projSum},
		{"nvtx_gpu_proj_trace", "NVTX GPU Projection Trace", nil, (*build).projTrace},
		{"nvtx_kern_sum", "NVTX Range Kernel Summary", []string{argBase, argMangled}, (*build).rangeKernels},
		{"cuda_gpu_kern_sum", "CUDA GPU Kernel Summary", []string{argNVTXName, argBase, argMangled}, (*build).kernels},
		{"cuda_api_sum", "CUDA API Summary", nil, (*build).calls},
		{"cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)", nil, (*build).memTime},
		{"cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)", nil, (*build).memSize},
		{"osrt_sum", "OS Runtime Summary", nil, (*build).osCalls},
	}
}

// The arguments of reports.
const (
	argBase     = "base"      // kernels by their plain name
	argMangled  = "mangled"   // kernels by their linker's name
	argNVTXName = "nvtx-name" // the innermost range before the kernel's name
)

// Default lists the reports that are given when none is named.
func Default() []string {
	return []string{"nvtx_sum", "osrt_sum", "cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum"}
}

// Names lists the reports, for help and completion.
func Names() []string {
	var out []string
	for _, d := range defs() {
		out = append(out, d.name)
	}
	return out
}

// Tables lists the tables of an export that reports need (nsys.Options.Tables).
func Tables(names []string) []string {
	const ranges, calls, kernels, copies, sets, graphs = "NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL",
		"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
	var out []string
	for _, name := range names {
		report, args, _ := strings.Cut(name, ":")
		switch {
		case report == "nvtx_sum", report == "nvtx_pushpop_sum", report == "nvtx_startend_sum":
			out = append(out, ranges)
		case report == "cuda_api_sum":
			out = append(out, calls)
		case report == "osrt_sum":
			out = append(out, "OSRT_API")
		case report == "cuda_gpu_mem_time_sum", report == "cuda_gpu_mem_size_sum":
			out = append(out, copies, sets)
		case report == "cuda_gpu_kern_sum" && !strings.Contains(args, argNVTXName):
			out = append(out, kernels)
		default:
			out = append(out, ranges, calls, kernels, copies, sets, graphs)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Check says what is wrong with a report's name; nil is nothing.
func Check(name string) error {
	_, _, err := parse(name)
	return err
}

// parse splits "cuda_gpu_kern_sum:nvtx-name:base".
func parse(name string) (def, []string, error) {
	parts := strings.Split(name, ":")
	for _, d := range defs() {
		if d.name != parts[0] {
			continue
		}
		for _, a := range parts[1:] {
			if !slices.Contains(d.args, a) {
				return def{}, nil, fmt.Errorf("report %s takes no argument %q; it takes %s", d.name, a, orNone(d.args))
			}
		}
		return d, parts[1:], nil
	}
	return def{}, nil, fmt.Errorf("no report %q; there are %s", parts[0], strings.Join(Names(), ", "))
}

func orNone(args []string) string {
	if len(args) == 0 {
		return "none"
	}
	return strings.Join(args, ", ")
}
