package launch

import (
	"strings"
	"testing"
)

func TestApp(t *testing.T) {
	for line, want := range map[string]string{
		"python generate.py": "generate",
		"/usr/bin/python3.12 -u -X dev ./a/generate.py --seed 1": "generate",
		"python -m vllm.entrypoints.api_server --port 1":         "vllm.entrypoints.api_server",
		"python -mpkg.tool":       "pkg.tool",
		"python -IBm pkg.tool":    "pkg.tool",
		"python -c print(1) x.py": "python",
		"python":                  "python",
		"python -":                "python",
		"python pkg/__main__.py":  "pkg",
		"torchrun --nproc-per-node 2 --standalone gen.py --steps 4": "gen",
		"torchrun --nproc-per-node=2 -m pkg.train x":                "pkg.train",
		"python -m torch.distributed.run --nnodes 1 gen.py":         "gen",
		"accelerate launch --multi_gpu --num_processes 2 gen.py":    "gen",
		"accelerate config": "accelerate",
		"flashdreams-run-v2 t2v-self-forcing-wan2.1-t2v-1.3b --timeout 300 -- --prompt x": "t2v-self-forcing-wan2.1-t2v-1.3b",
		"uv run --package flashdreams-self-forcing flashdreams-run-v2 t2v --timeout 3":    "t2v",
		"vllm serve Wan-AI/Wan2.2-I2V-A14B-Diffusers --omni":                              "vllm-serve",
		"reel demo --pipeline t2v":            "reel-demo",
		"env A=1 B=2 nice -n 5 python gen.py": "gen",
		"timeout -k 5 60 ./gen":               "gen",
		"numactl -N 0 -m 0 python gen.py":     "gen",
		"conda run -n x python gen.py":        "gen",
		"bash run.sh 1":                       "run",
		"bash -c true":                        "bash",
		"./my-app":                            "my-app",
		"env":                                 "env",
		"nice -n":                             "nice",
	} {
		if got := App(strings.Fields(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if got := App(nil); got != "run" {
		t.Errorf("nothing: %q", got)
	}
}

func FuzzApp(f *testing.F) {
	f.Add("env A=1 python -Im x")
	f.Add("torchrun -- --x= y")
	f.Fuzz(func(t *testing.T, line string) { App(strings.Split(line, " ")) })
}
