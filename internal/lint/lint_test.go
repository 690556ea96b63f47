package lint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const goSample = `package p

func f(ctx context.Context) {
	for i := range rec.Steps(ctx, 3) {
		x.step(i)
	}
	for i := 0; i < 3; i++ {
		y = unet.Forward(x, ts[i:i+1])
	}
	for _, t := range s.Timesteps {
		x = sched.Step(o, t, x)
	}
	for i := range blocks {
		x = layer.Forward(x, i) // a model's layers are no steps
	}
	// reel: uninstrumented: a test of the solver alone
	for i, s := range sigmas {
		x = solver.Step(i, s)
	}
	for i, t := range timesteps {
		defer prof.Range(ctx, "denoise_step").End()
		x = transformer.Forward(x, t, i)
	}
}
`

const pySample = `
class P:
    def __call__(self, steps):
        with self.progress_bar(total=steps) as bar:
            for i, t in enumerate(timesteps):
                noise = self.transformer(latents, t)
                latents = self.scheduler.step(noise, t, latents)[0]
        for t in denoise_steps(self.scheduler.timesteps):
            latents = self.scheduler.step(x, t, latents)
        for i, t in enumerate(timesteps):
            for view in views:
                latents = self.scheduler.step(view, t, latents)
        for i in range(num_inference_steps):
            with record_function(f"denoise_step_{i}"):
                latents = self.unet(latents, i)
        # reel: uninstrumented warm-up, never profiled
        for t in timesteps:
            self.unet(latents, t)
        for block in self.blocks:
            x = block(x)
        for epoch in range(3):
            optimizer.step()
        while sigma > sigma_end:
            x = self.denoiser(x, sigma)
`

func brief(loops []Loop) string {
	var b strings.Builder
	for _, l := range loops {
		fmt.Fprintf(&b, "%d %s|%s|%s\n", l.Line, l.Evidence, l.Seen, l.Silenced)
	}
	return b.String()
}

func TestGo(t *testing.T) {
	loops, err := goSource("p.go", []byte(goSample))
	if err != nil {
		t.Fatal(err)
	}
	want := `4 calls x.step(i)|rec.Steps|
7 calls unet.Forward(x, ts[…])||
10 calls sched.Step(o, t, x)||
17 calls solver.Step(i, s)||a test of the solver alone
20 calls transformer.Forward(x, t, i)|prof.Range|
`
	if got := brief(loops); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func python(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("skipped: Python sources are parsed by python3, and there is none")
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPython(t *testing.T) {
	python(t)
	r, err := Run(t.Context(), []string{write(t, "p.py", pySample)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := `5 steps self.scheduler.step||
8 steps self.scheduler.step|denoise_steps|
10 steps self.scheduler.step||
13 goes over num_inference_steps and calls self.unet|record_function|
17 goes over timesteps and calls self.unet||warm-up, never profiled
23 goes over sigma and calls self.denoiser||
`
	if got := brief(r.Loops); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestOdd: what cannot be parsed is named, and the rest is read; nothing of the
// sources runs.
func TestOdd(t *testing.T) {
	python(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"bad.py": "for x in:\n", "nul.py": "a\x00b", "deep.py": strings.Repeat("(", 5000), "bad.go": "package", "ok.py": "for t in timesteps:\n    s.scheduler.step(t)\n",
		"ast.py": "raise SystemExit(9)", "test_x.py": "for t in timesteps:\n    scheduler.step(t)\n", "venv/pyvenv.cfg": "", "venv/x.py": "for t in timesteps:\n    scheduler.step(t)\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Run(t.Context(), []string{dir}, Options{})
	if err != nil || len(r.Loops) != 1 || len(r.Skipped) != 4 || r.Files != 6 {
		t.Errorf("%v: %+v", err, r)
	}
	if r, err := Run(t.Context(), []string{dir}, Options{Tests: true}); err != nil || len(r.Loops) != 2 {
		t.Errorf("%v: %+v", err, r)
	}
}

func TestRefuses(t *testing.T) {
	if _, err := Run(t.Context(), []string{filepath.Join(t.TempDir(), "none")}, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Run(t.Context(), []string{write(t, "a.txt", "")}, Options{}); err == nil {
		t.Error("a text was read")
	}
	for _, ext := range []string{".py", ".go"} { // a folder or pipe of the name would be waited for
		if _, err := Run(t.Context(), []string{device(t, ext)}, Options{}); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("a device was read: %v", err)
		}
	}
	py := write(t, "a.py", "")
	if _, err := Run(t.Context(), []string{py}, Options{Python: "/none/python"}); err == nil {
		t.Error("an interpreter that is not there")
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Run(t.Context(), []string{py}, Options{}); !errors.Is(err, ErrNoPython) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, []string{write(t, "a.go", "package a")}, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// device is a link to what is no regular file.
func device(t *testing.T, ext string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x"+ext)
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Skip(err)
	}
	return path
}

func FuzzGo(f *testing.F) {
	f.Add(goSample)
	f.Fuzz(func(t *testing.T, text string) { _, _ = goSource("p.go", []byte(text)) })
}
