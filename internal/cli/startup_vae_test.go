package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/lantern/checkpoint"
	"reel/lantern/tensorfile"
	"reel/rec/startup"
)

// measureVAE measures the built-in VAE in processes of this test program.
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

// TestStartupVAEReport: the report as the schema has it, the checkpoint's hash, the
// latent for an independent run.
func TestStartupVAEReport(t *testing.T) {
	latent := filepath.Join(t.TempDir(), "latent.safetensors")
	r, rep := measureVAE(t, "--latent-output", latent)
	if r.code != 0 {
		t.Fatal(r.err)
	}
	if mark := rep.Environment.Checkpoint; !strings.HasPrefix(mark, "sha256:") || len(mark) != 7+64 {
		t.Errorf("checkpoint %q", mark)
	}
	z, err := tensorfile.Read(latent)
	if err != nil || fmt.Sprint(z.Shape) != "[1 16 1 2 2]" || len(z.Data) != 64 {
		t.Errorf("%v: %v", err, z.Shape)
	}
	path := filepath.Join(t.TempDir(), "vae.json")
	if err := writeStartup(path, rep, false); err != nil {
		t.Fatal(err)
	}
	validator(t)("startup", "startup", "show", "--json", path)
}

// TestStartupVAEDisk: an output that the file system refuses is a failure of its phase.
func TestStartupVAEDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), strings.Repeat("x", 300)+".pt") // no file system has such names
	r, rep := measureVAE(t, "--tensor-output", name)
	i := slices.IndexFunc(rep.Phases, func(p startup.Phase) bool { return p.Name == "output.write" })
	if r.code != exitFailed || i < 0 || rep.Phases[i].Status != startup.Error {
		t.Errorf("exit %d, phase %d: %s", r.code, i, r.err)
	}
}

// TestStartupVAEInterrupted: a worker that is interrupted leaves its report.
func TestStartupVAEInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "report.json")
	a := &app{IO: IO{Out: io.Discard, Err: io.Discard, Getenv: func(name string) string { return map[string]string{vaeReport: path}[name] }}}
	if err := a.vaeWorker(ctx, vaeFlags{model: "none", latent: "1x2x2"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	rep, err := readStartup(path)
	if err != nil {
		t.Fatal(err)
	}
	if last := rep.Phases[len(rep.Phases)-2]; last.Name != "device.setup" || last.Error != context.Canceled.Error() {
		t.Errorf("%+v", rep.Phases)
	}
}

// TestStartupVAEKeeps: runs that were measured before one failed stay, whether that
// one left a report or not.
func TestStartupVAEKeeps(t *testing.T) {
	run := func(ns int64) startup.Report {
		return startup.Report{Version: 1, Type: startup.ArtifactType, Duration: ns, Phases: []startup.Phase{}}
	}
	for _, c := range []struct {
		failed startup.Report
		want   int64
		runs   int
	}{{startup.Report{}, 3, 2}, {run(9), 9, 3}} {
		a := &app{IO: IO{Out: io.Discard, Err: io.Discard, Getenv: os.Getenv}}
		out := filepath.Join(t.TempDir(), "vae.json")
		cause := errors.New("killed")
		if err := a.failedStartup(vaeFlags{output: out}, []startup.Report{run(3), run(5)}, c.failed, cause); !errors.Is(err, cause) {
			t.Error(err)
		}
		got, err := readStartup(out)
		if err != nil || got.Duration != c.want || len(got.Repetitions) != c.runs {
			t.Errorf("%v: %+v", err, got)
		}
	}
}

// TestStartupVAEMisuse: names that cannot be written are refused before a run.
func TestStartupVAEMisuse(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{"--output a.json --tensor-output a.npy", "--output a.json --latent-output a.json", "--output a.pt --tensor-output ./a.pt", "--output a.json --latent 0x1x1", ""} {
		if r := reel(t, append([]string{"startup", "vae"}, strings.Fields(args)...)...); r.code != exitMisuse {
			t.Errorf("%s: exit %d: %s", args, r.code, r.err)
		}
	}
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
		{"device", "vae.device_transfer", "out of memory", func(dir string) {
			os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"_class_name": "AutoencoderKLWan", "base_dim": 20000}`), 0o600)
		}},
		{"type", "vae.weight_assignment", "I16", func(dir string) {
			file := filepath.Join(dir, weights)
			data, _ := os.ReadFile(file)
			os.WriteFile(file, bytes.Replace(data, []byte(`"F16"`), []byte(`"I16"`), 1), 0o600)
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
			if failed["component.vae"] == "" || failed[c.phase] == "" {
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
