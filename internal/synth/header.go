package synth

import (
	"fmt"
	"strings"
)

// header writes the keys that stand before traceEvents.
func (e *encoder) header() {
	e.buf = append(e.buf, e.open()...)
	for _, key := range e.metadata() {
		e.key(key)
		e.buf = append(e.buf, e.separator...)
	}
}

// footer closes the root after traceEvents.
func (e *encoder) footer() {
	keys := []string{fmt.Sprintf(`"traceName": "/tmp/tiny_rank%d.json"`, e.opt.Rank)}
	if e.opt.HeaderLast {
		keys = append(keys, e.metadata()...)
	}
	for _, key := range keys {
		e.buf = append(e.buf, e.separator...)
		e.key(key)
	}
	e.buf = append(e.buf, squeeze(e.opt.Style, "\n}")...)
	e.buf = append(e.buf, '\n')
}

func (e *encoder) key(text string) {
	e.buf = append(e.buf, squeeze(e.opt.Style, "\n  "+text)...)
}

func (e *encoder) open() string {
	if e.opt.Style == Pretty {
		return "\n{"
	}
	return "{"
}

func (e *encoder) openEvents() {
	if e.opt.HeaderLast {
		e.buf = append(e.buf, e.open()...)
	}
	e.key(`"traceEvents": [`)
}

func (e *encoder) closeEvents() { e.key("]") }

// metadata are the root's keys beside the events, in the writer's order.
func (e *encoder) metadata() []string {
	keys := []string{`"schemaVersion": 1`, `"deviceProperties": [` + strings.Join(e.devices(), ",") + "\n  ]"}
	if e.opt.Vendor == ROCm {
		keys = append(keys, `"roctracer_version": 4.1`, `"hip_runtime_version": 71326183`)
	} else {
		keys = append(keys, `"cuda_runtime_version": 12080`, `"cupti_version": 26`)
	}
	if n := e.opt.WorldSize; n > 0 {
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = i
		}
		keys = append(keys, fmt.Sprintf(`"distributedInfo": {"backend": "nccl", "rank": %d, "world_size": %d, "pg_count": 2, "pg_config": [`+
			`{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": %d, "ranks": %s}, `+
			`{"pg_name": "1", "pg_desc": "ulysses", "backend_config": "cuda:nccl", "pg_size": %d, "ranks": %s}], "nccl_version": "2.27.5"}`,
			e.opt.Rank, n, n, ints(ranks), n, ints(ranks)))
	}
	keys = append(keys, `"record_shapes": 1`)
	if e.opt.Vendor == ROCm {
		keys = append(keys, `"hip_driver_version": 71326183`)
	} else {
		keys = append(keys, `"cuda_driver_version": 12090`)
	}
	if e.opt.Memory {
		keys = append(keys, `"profile_memory": 1`)
	}
	if e.opt.Python {
		keys = append(keys, `"with_stack": 1`)
	}
	keys = append(keys, fmt.Sprintf(`"trace_id": "%016X%016X"`, e.opt.Seed*0x9E3779B97F4A7C15+0x51D3, 0xB5E1C0DE00000000+uint64(e.opt.Rank)), `"displayTimeUnit": "ms"`)
	if !e.opt.Absolute {
		keys = append(keys, fmt.Sprintf(`"baseTimeNanoseconds": %d`, int64(baseNS)))
	}
	return keys
}

func (e *encoder) devices() []string {
	var all []string
	for i := range max(1, min(e.opt.WorldSize, 8)) {
		text := fmt.Sprintf("\n    {\n      \"id\": %d, ", i)
		if e.opt.Vendor == ROCm {
			text += "\"name\": \"AMD Instinct MI300X\", \"totalGlobalMem\": 206141652992,\n      \"computeMajor\": 9, \"computeMinor\": 4,\n      " +
				"\"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n      \"regsPerBlock\": 131072, \"warpSize\": 64,\n      " +
				"\"sharedMemPerBlock\": 65536, \"numSms\": 304\n    , \"maxSharedMemoryPerMultiProcessor\": 65536\n    }"
		} else {
			text += "\"name\": \"NVIDIA H100 80GB HBM3\", \"totalGlobalMem\": 84929347584,\n      \"computeMajor\": 9, \"computeMinor\": 0,\n      " +
				"\"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n      \"regsPerBlock\": 65536, \"warpSize\": 32,\n      " +
				"\"sharedMemPerBlock\": 49152, \"numSms\": 132\n    , \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, \"sharedMemPerMultiprocessor\": 233472\n    }"
		}
		all = append(all, text)
	}
	return all
}
