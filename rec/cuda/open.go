//go:build cuda

package cuda

import (
	"fmt"

	"reel/internal/dl"
	"reel/internal/nsight"
)

// names of libcudart: that of a toolkit, then those of its releases.
var names = []string{"libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}

// open opens libcudart.
func open(getenv func(string) string) (runtimeLibrary, error) {
	l, err := dl.OpenFirst(nsight.Libraries(getenv, names...)...)
	if err != nil {
		return runtimeLibrary{}, fmt.Errorf("libcudart is not to be found; LD_LIBRARY_PATH or CUDA_HOME may lead to it: %w", err)
	}
	out := runtimeLibrary{path: l.Path}
	text := l.Func("cudaGetErrorString")
	for _, f := range []struct {
		name string
		to   *func() error
	}{{"cudaProfilerStart", &out.start}, {"cudaProfilerStop", &out.stop}, {"cudaDeviceSynchronize", &out.sync}} {
		call := l.Func(f.name)
		if call == 0 {
			return runtimeLibrary{}, fmt.Errorf("%s has no function %s", l.Path, f.name)
		}
		*f.to = func() error {
			code := int32(call.Call())
			if code == 0 {
				return nil
			}
			return failed(f.name, code, dl.Text(text.Call(uintptr(code))))
		}
	}
	return out, nil
}

// failed makes an error of a code of libcudart; 0 is success.
func failed(call string, code int32, text string) error {
	if code == 0 {
		return nil
	}
	if text == "" {
		return fmt.Errorf("libcudart: %s: error %d", call, code)
	}
	return fmt.Errorf("libcudart: %s: error %d, %s", call, code, text)
}
