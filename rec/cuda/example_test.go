package cuda_test

import (
	"fmt"
	"os"

	"reel/control"
	"reel/rec"
	"reel/rec/cuda"
)

// A program whose sessions, or windows, nsys records:
//
//	go build -tags cuda ./paint
//	nsys profile --capture-range=cudaProfilerApi --capture-range-end=repeat ./paint
func Example() {
	gate := &cuda.Gate{}

	// Windows: TLLM_PROFILE_VISUAL_GEN_START_STOP=0-4 opens the range for steps 0 to 4.
	w, err := rec.FromEnv(os.Getenv, rec.EnvOptions{Outer: gate, Sync: gate.Sync})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Shutdown()

	// Sessions: profiler: cuda opens it from start to stop.
	cfg, err := control.Parse([]byte(`{"profiler": "cuda"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := control.New(cfg, control.Options{Gate: gate, Sync: gate.Sync}); err != nil {
		fmt.Println("no session:", err) // built without the tag, or no libcudart
	}
}
