package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/lantern/checkpoint"
	"reel/rec/startup"
)

// vaeRun measures the built-in VAE in processes of this test program.
func measureVAE(t *testing.T, args ...string) (result, startup.Report) {
	t.Helper()
	t.Setenv(asReel, "1")
	out := filepath.Join(t.TempDir(), "vae.json")
	r := reel(t, append([]string{"startup", "vae", "--output", out, "--latent", "1x2x2"}, args...)...)
	var rep startup.Report
	if data, err := os.ReadFile(out); err == nil {
		if err := json.Unmarshal(data, &rep); err != nil {
			t.Fatal(err)
		}
	}
	return r, rep
}

// TestStartupVAE: the phases, their sum, and two runs whose outputs are equal.
func TestStartupVAE(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.pt"), filepath.Join(dir, "b.safetensors")
	r, rep := measureVAE(t, "--repeat", "2", "--tensor-output", a)
	if r.code != 0 {
		t.Fatal(r.err)
	}
	if len(rep.Repetitions) != 2 || rep.Plain == nil || *rep.Plain <= 0 {
		t.Errorf("%d repetitions, %v without instruments", len(rep.Repetitions), rep.Plain)
	}
	for _, run := range rep.Repetitions {
		var names []string
		for _, p := range run.Phases {
			names = append(names, p.Name)
			if p.Status != startup.Success {
				t.Errorf("%+v", p)
			}
		}
		want := "process.start imports device.setup component.vae vae.construct vae.device_transfer vae.checkpoint_read vae.weight_assignment vae.finalize vae.first_decode output.verify output.write device.release process.exit"
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s", got)
		}
		if run.Duration < run.Environment.Wall-1e6 || run.Duration > run.Environment.Wall+1e6 {
			t.Errorf("the report covers %d ns of %d", run.Duration, run.Environment.Wall)
		}
	}
	if r, _ := measureVAE(t, "--synchronize", "--tensor-output", b); r.code != 0 {
		t.Fatal(r.err)
	}
	if out := good(t, "startup", "compare", a, b); !strings.HasPrefix(out, "equal, bit by bit") {
		t.Error(out)
	}
	validator(t)("compare", "startup", "compare", a, b, "--json")
}

// brokenVAE is a copy of the built-in VAE's folder that a test damages.
func brokenVAE(t *testing.T, damage func(dir string)) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, checkpoint.FS()); err != nil {
		t.Fatal(err)
	}
	damage(filepath.Join(dir, "vae"))
	return filepath.Join(dir, "vae")
}

// TestStartupVAEFails: whatever is wrong, the report is valid and says where.
func TestStartupVAEFails(t *testing.T) {
	weights := "diffusion_pytorch_model.safetensors"
	for _, c := range []struct {
		name, phase, want string
		damage            func(dir string)
	}{
		{"missing", "vae.checkpoint_read", "safetensors", func(dir string) { os.Remove(filepath.Join(dir, weights)) }},
		{"cut", "vae.checkpoint_read", weights, func(dir string) { os.Truncate(filepath.Join(dir, weights), 5000) }},
		{"config", "vae.construct", "z_dim", func(dir string) {
			os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"_class_name": "AutoencoderKLWan", "z_dim": -3}`), 0o600)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, rep := measureVAE(t, "--model-path", brokenVAE(t, c.damage))
			if r.code != exitFailed || !strings.Contains(r.err, c.want) {
				t.Errorf("exit %d: %s", r.code, r.err)
			}
			failed := map[string]string{}
			for _, p := range rep.Phases {
				if p.Status == startup.Error {
					failed[p.Name] = p.Error
				}
			}
			if failed["component.vae"] == "" {
				t.Errorf("failed phases: %v", failed)
			}
		})
	}
}

func TestStartupCompare(t *testing.T) {
	for _, args := range [][]string{{"startup", "compare"}, {"startup", "compare", "a"}} {
		if r := reel(t, args...); r.code != exitMisuse {
			t.Errorf("%v: %d", args, r.code)
		}
	}
	if r := reel(t, "startup", "compare", "none.pt", "none.pt"); r.code != exitFailed {
		t.Errorf("%d %s", r.code, r.err)
	}
}
