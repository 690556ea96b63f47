package rundir

import (
	"slices"
	"strings"
	"testing"
)

func TestLooksSecret(t *testing.T) {
	for value, is := range map[string]bool{
		"hf_" + strings.Repeat("aB3", 8):          true,
		"sk-proj-" + strings.Repeat("x9", 10):     true,
		"ghp_" + strings.Repeat("a1", 18):         true,
		"AKIA" + strings.Repeat("A1", 8):          true,
		"Bearer abcdefgh12345":                    true,
		"-----BEGIN PRIVATE KEY-----":             true,
		strings.Repeat("0123abcd", 4):             true,
		"eyJhbGciOiJI.eyJzdWIiOiIx.c2ln":          true,
		"0,1,2,3":                                 false,
		"expandable_segments:True":                false,
		"Wan-AI/Wan2.2-I2V-A14B-Diffusers":        false,
		"/data/models/stable-diffusion-3.5-large": false,
		"a red vintage bicycle beside a canal":    false,
	} {
		if LooksSecret(value) != is {
			t.Errorf("%s: %v", value, !is)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	got := Environment([]string{"CUDA_VISIBLE_DEVICES=0,1", "HF_TOKEN=abc", "AWS_SECRET_ACCESS_KEY=x", "REEL_TOKEN=t", "OMP_NUM_THREADS=", "RANK=3",
		"TLLM_TORCH_PROFILE_TRACE=/home/ada/t.json", "NCCL_DEBUG=hf_" + strings.Repeat("a", 20), "PATH=/bin"})
	want := map[string]string{"CUDA_VISIBLE_DEVICES": "0,1", "RANK": "3", "TLLM_TORCH_PROFILE_TRACE": "~/t.json", "NCCL_DEBUG": hidden}
	if len(got) != len(want) {
		t.Error(got)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s=%q, want %q", k, got[k], v)
		}
	}
}

func TestHideArgs(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	in := []string{"/home/ada/bin/gen", "--api-key", "s3cr3t", "--hf-token=abc", "--steps=8", "--prompt", "a cat", "--auth", "--verbose",
		"PASSWORD=x", `{"api_key":"x"}`, "https://u:p@host/x?sig=1", "hf_" + strings.Repeat("b", 20)}
	want := []string{"~/bin/gen", "--api-key", hidden, "--hf-token=" + hidden, "--steps=8", "--prompt", "a cat", "--auth", "--verbose",
		"PASSWORD=" + hidden, hidden, "https://host/x", hidden}
	if got := HideArgs(in); !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}
