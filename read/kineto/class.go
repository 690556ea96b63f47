package kineto

import "reel/event"

// sort says what events of a category are.
type sort struct {
	kind  event.Kind // of a complete event (ph X)
	class event.Class
}

// acceleratorOf returns the sort of device that a category belongs to, as PyTorch
// names it; "" for CUDA's categories, which ROCm has too, and for those of the host.
func acceleratorOf(cat []byte) string {
	switch string(cat) {
	case "xpu_runtime", "xpu_driver", "xpu_sync":
		return "XPU"
	case "mtia_runtime", "mtia_ccp_events":
		return "MTIA"
	case "hpu_op":
		return "HPU"
	}
	return ""
}

// sortOf maps the category names that Kineto and its vendors' builds have
// written since 2021 (source: ActivityType.cpp in pytorch/kineto, its 2021
// release, and traces of each vendor).
func sortOf(cat []byte) sort {
	switch string(cat) {
	case "cpu_op", "Operator", "":
		return sort{event.Range, event.Op}
	case "user_annotation", "User Annotation":
		return sort{event.Range, event.Annotation}
	case "python_function":
		return sort{event.Range, event.Python}
	case "cuda_runtime", "Runtime", "xpu_runtime", "mtia_runtime", "glow_runtime", "privateuse1_runtime", "hip_runtime", "runtime":
		return sort{event.Range, event.Runtime}
	case "cuda_driver", "xpu_driver", "privateuse1_driver":
		return sort{event.Range, event.Driver}
	case "overhead":
		return sort{event.Range, event.Overhead}
	case "kernel", "Kernel", "hpu_op", "mtia_ccp_events":
		return sort{event.Activity, event.Kernel}
	case "gpu_memcpy", "Memcpy":
		return sort{event.Activity, event.Copy}
	case "gpu_memset", "Memset":
		return sort{event.Activity, event.Set}
	case "gpu_user_annotation":
		return sort{event.Activity, event.GPUAnnotation}
	case "cuda_sync", "cuda_event", "xpu_sync":
		return sort{event.Activity, event.Sync}
	case "reel":
		return sort{} // what Reel found and wrote beside the trace is found anew
	case "collective_comm":
		return sort{event.Activity, event.OtherActivity}
	}
	return sort{event.Range, event.OtherRange}
}
