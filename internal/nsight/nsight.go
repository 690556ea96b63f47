// Package nsight tells whether a collector of NVIDIA's (Nsight Systems, Nsight
// Compute, nvprof) seems to be attached to this process, and where CUDA's libraries
// lie. It opens none of them.
package nsight

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// variables are what the collectors put into the environment of what they start.
var variables = []string{"NSYS_PROFILING_SESSION_ID", "NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH", "NVPROF_ID", "NV_NSIGHT_INJECTION_TRANSPORT_TYPE"}

// injected is in the name of the library that nsys has the loader add.
const injected = "libToolsInjection"

// programs are the names of the collectors' processes.
var programs = map[string]bool{"nsys": true, "nsys-launcher": true, "ncu": true, "nvprof": true}

// Attached says by what a collector shows: "the variable NVTX_INJECTION64_PATH", or
// "its parent nsys (pid 711)". ok is false when nothing shows one.
func Attached(getenv func(string) string) (by string, ok bool) {
	return attached(getenv, os.Getppid(), "/proc")
}

func attached(getenv func(string) string, parent int, proc string) (by string, ok bool) {
	for _, v := range variables {
		if getenv(v) != "" {
			return "the variable " + v, true
		}
	}
	if strings.Contains(getenv("LD_PRELOAD"), injected) {
		return "the variable LD_PRELOAD", true
	}
	if runtime.GOOS != "linux" {
		return "", false
	}
	for range maxAncestors {
		name, next, err := process(proc, parent)
		if err != nil {
			return "", false
		}
		if programs[name] {
			return fmt.Sprintf("its parent %s (pid %d)", name, parent), true
		}
		if parent = next; parent <= 1 {
			return "", false
		}
	}
	return "", false
}

// maxAncestors bounds the walk: shells and launchers stand in between.
const maxAncestors = 32

// process reads the name of a process and the pid of its parent.
func process(proc string, pid int) (name string, parent int, err error) {
	data, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", 0, err
	}
	// "711 (nsys) S 1 …"; the name may hold anything, so its end is the last ")".
	text := string(data)
	from, to := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return "", 0, fmt.Errorf("process %d: no name", pid)
	}
	rest := strings.Fields(text[to+1:])
	if len(rest) < 2 {
		return "", 0, fmt.Errorf("process %d: no parent", pid)
	}
	parent, err = strconv.Atoi(rest[1])
	return text[from+1 : to], parent, err
}

// Libraries lists where a library of CUDA's may lie: its names, left to the loader
// and so to LD_LIBRARY_PATH, then the folders of CUDA_HOME, CUDA_PATH and the usual
// one.
func Libraries(getenv func(string) string, names ...string) []string {
	out := append([]string(nil), names...)
	var folders []string
	for _, v := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if root := getenv(v); filepath.IsAbs(root) {
			folders = append(folders, filepath.Join(root, "lib64"), filepath.Join(root, "lib"))
		}
	}
	for _, dir := range append(folders, "/usr/local/cuda/lib64") {
		for _, n := range names {
			if path := filepath.Join(dir, n); exists(path) {
				out = append(out, path)
			}
		}
	}
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
