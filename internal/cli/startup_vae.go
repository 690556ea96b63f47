package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reel/internal/report"
	"reel/lantern/checkpoint"
	"reel/lantern/tensorfile"
	"reel/rec/startup"
)

// vaeFlags are those of reel startup vae.
type vaeFlags struct {
	model, output, tensor, input, latent string
	synchronize, drop, force             bool
	repeat                               int
}

func (a *app) startupVAECmd() *cobra.Command {
	var f vaeFlags
	c := &cobra.Command{
		Use:   "vae --output FILE",
		Short: "measure the start-up of a VAE: from exec to the first decoded frame",
		Long: `Starts a process of its own for each repetition, which loads the VAE of a Diffusers
folder and decodes a fixed latent, and times its phases: the start of the process,
imports, device set-up, the load in its parts, the first decode. One more repetition
runs without a collector: its wall time says what measuring costs.

It uses one device, FP32 and the cached decode path. Downloads, compilation and the
warm-up of kernels are no part of it. Shape and finiteness of the output are
checked; whether it is right is what 'reel startup compare' tells, with the output of
an independent run.`,
		Example: `  reel startup vae --output vae.json
  reel startup vae --model-path wan/vae --output vae.json --repeat 5 --drop-caches
  reel startup vae --model-path wan/vae --output vae.json --tensor-output out.pt --synchronize`,
		Args: a.noArgs,
		RunE: a.run(func(c *cobra.Command, _ []string) error { return a.startupVAE(c.Context(), f) }),
	}
	s := c.Flags()
	s.StringVar(&f.model, "model-path", "", "the VAE's `FOLDER`, with config.json and safetensors (default: the built-in VAE)")
	s.StringVar(&f.output, "output", "", "the report: `FILE`.json")
	s.StringVar(&f.tensor, "tensor-output", "", "the decoded frames: `FILE`.safetensors or .pt")
	s.StringVar(&f.input, "latent-output", "", "what was decoded, for an independent run: `FILE`.safetensors or .pt")
	s.StringVar(&f.latent, "latent", "2x8x8", "the latent's size: `FRAMESxHEIGHTxWIDTH`")
	s.BoolVar(&f.synchronize, "synchronize", false, "wait for the device around each phase")
	s.IntVar(&f.repeat, "repeat", 1, "processes to measure")
	s.BoolVar(&f.drop, "drop-caches", false, "evict the checkpoint from the page cache before each")
	s.BoolVar(&f.force, "force", false, "overwrite the outputs")
	_ = c.MarkFlagDirname("model-path") // fails for unknown flags only
	return c
}

func (f *vaeFlags) check() error {
	if f.output == "" {
		return misusef("--output names the report")
	}
	if f.repeat < 1 || f.repeat > 1000 {
		return misusef("--repeat %d: 1 to 1000", f.repeat)
	}
	if _, err := parseLatent(f.latent); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, path := range []string{f.output, f.tensor, f.input} {
		if path == "" {
			continue
		}
		if i > 0 && !tensorfile.Fit(path) {
			return misusef("%s: the name of a tensor's file ends in .safetensors or .pt", path)
		}
		if path = filepath.Clean(path); seen[path] {
			return misusef("%s is named for two outputs", path)
		}
		seen[path] = true
		if err := outputFree(path, f.force); err != nil {
			return err
		}
	}
	return nil
}

func parseLatent(text string) (dims [3]int, err error) {
	parts := strings.Split(text, "x")
	if len(parts) != 3 {
		return dims, misusef("--latent %q: want FRAMESxHEIGHTxWIDTH", text)
	}
	for i, p := range parts {
		if dims[i], err = strconv.Atoi(p); err != nil || dims[i] < 1 || dims[i] > 1024 {
			return dims, misusef("--latent %q: want three numbers of 1 to 1024", text)
		}
	}
	return dims, nil
}

// startupVAE runs the repetitions and writes the report.
func (a *app) startupVAE(ctx context.Context, f vaeFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	dir, clean, err := vaeFolder(f.model)
	if err != nil {
		return err
	}
	defer clean()
	a.ownsSignals.Store(true) // from here on: an interrupted run leaves its report
	var runs []startup.Report
	bare := f // the runs that write no tensors
	bare.tensor, bare.input = "", ""
	for i := range f.repeat {
		flags := bare
		if i == 0 {
			flags = f
		}
		r, err := a.vaeProcess(ctx, flags, dir, true)
		if err != nil {
			return a.failedStartup(f, runs, r, err)
		}
		runs = append(runs, r)
	}
	plain, err := a.vaeProcess(ctx, bare, dir, false)
	if err != nil {
		return a.failedStartup(f, runs, startup.Report{}, err)
	}
	mark := contentMark(dir)
	for i := range runs {
		runs[i].Environment.Checkpoint = mark
	}
	out := together(runs)
	out.Plain, out.PlainCache = &plain.Environment.Wall, plain.Environment.CacheWord
	if err := writeStartup(f.output, out, f.force); err != nil {
		return err
	}
	return report.Startup(a.Out, &out, a.layout())
}

// failedStartup keeps what was measured until a run failed: its report says where.
func (a *app) failedStartup(f vaeFlags, runs []startup.Report, failed startup.Report, err error) error {
	if failed.Type != "" {
		runs = append(runs, failed)
	}
	if len(runs) > 0 {
		out := together(runs)
		if failed.Type != "" { // it is the report, and the last of the repetitions
			all := out.Repetitions
			out = failed
			out.Repetitions = all
		}
		if w := writeStartup(f.output, out, f.force); w != nil {
			return errors.Join(err, w)
		}
		a.warn("%s holds what was measured until then", f.output)
	}
	return err
}

// middle is the run with the median time.
func middle(runs []startup.Report) startup.Report {
	sorted := slices.Clone(runs)
	slices.SortFunc(sorted, func(a, b startup.Report) int { return int(min(1, max(-1, a.Duration-b.Duration))) })
	return sorted[(len(sorted)-1)/2]
}

// together is the median run, with all of them in it where there are several.
func together(runs []startup.Report) startup.Report {
	out := middle(runs)
	if len(runs) > 1 {
		out.Repetitions = runs
	}
	return out
}

// contentMark tells checkpoints apart: a hash of the weights and the configuration.
// It reads them, and so is taken when nothing is measured any more.
func contentMark(dir string) string {
	files := filesIn(dir, "", ".safetensors")
	sum := sha256.New()
	for _, path := range append(files, filepath.Join(dir, "config.json")) {
		f, err := os.Open(path)
		if err != nil {
			return ""
		}
		fmt.Fprintf(sum, "%s\n", filepath.Base(path))
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return ""
		}
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

func writeStartup(path string, r startup.Report, force bool) error {
	var out bytes.Buffer
	if err := r.Encode(&out); err != nil {
		return err
	}
	return writeNew(path, out.Bytes(), force)
}

// writeNew writes a file that appears whole.
func writeNew(path string, data []byte, force bool) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s exists; --force overwrites it", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".reel-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// vaeFolder is the folder of the VAE. The built-in one is written out first: a file
// that is mapped as part of the program cannot be evicted from the page cache.
func vaeFolder(model string) (dir string, clean func(), err error) {
	if model != "" {
		if _, err := os.Stat(filepath.Join(model, "config.json")); err != nil {
			return "", nil, misusef("--model-path %s: a VAE's folder with config.json is wanted: %w", model, err)
		}
		dir, err := filepath.Abs(model)
		return dir, func() {}, err
	}
	tmp, err := os.MkdirTemp("", "reel-vae-")
	if err != nil {
		return "", nil, err
	}
	clean = func() { os.RemoveAll(tmp) }
	vae, err := fs.Sub(checkpoint.FS(), "vae")
	if err == nil {
		dir = filepath.Join(tmp, "vae")
		err = os.CopyFS(dir, vae)
	}
	if err != nil {
		clean()
	}
	return dir, clean, err
}

// The variables by which the parent tells its child.
const (
	vaeExec    = "REEL_STARTUP_EXEC_NS"
	vaeReport  = "REEL_STARTUP_REPORT"
	vaeCollect = "REEL_STARTUP_COLLECT"
)

// vaeProcess measures one process, from its exec to its exit.
func (a *app) vaeProcess(ctx context.Context, f vaeFlags, dir string, collect bool) (r startup.Report, err error) {
	exe, err := os.Executable()
	if err != nil {
		return r, err
	}
	cache, word := cacheOf(dir, f.drop)
	tmp, err := os.CreateTemp("", "reel-startup-*.json")
	if err != nil {
		return r, err
	}
	defer os.Remove(tmp.Name())
	tmp.Close()
	args := []string{"startup", "vae-worker", "--model-path", dir, "--latent", f.latent, "--tensor-output", f.tensor, "--latent-output", f.input}
	if f.synchronize {
		args = append(args, "--synchronize")
	}
	if f.force {
		args = append(args, "--force")
	}
	c := exec.CommandContext(ctx, exe, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // it writes its report
	c.WaitDelay = time.Minute                                         // it ends behind the frame that it decodes; a second signal ends all at once
	var said bytes.Buffer
	c.Stderr = &said
	began := time.Now()
	c.Env = append(os.Environ(), vaeExec+"="+strconv.FormatInt(began.UnixNano(), 10), vaeReport+"="+tmp.Name(), vaeCollect+"="+strconv.FormatBool(collect))
	err = c.Run()
	ended := time.Now()
	if data, readErr := os.ReadFile(tmp.Name()); readErr == nil && len(data) > 0 {
		if e := json.Unmarshal(data, &r); e != nil {
			return r, e
		}
		r.Finish(ended)
	}
	r.Environment.Cache, r.Environment.CacheWord, r.Environment.Wall = cache, word, ended.Sub(began).Nanoseconds()
	if f.drop && word != "cold" {
		r.Notes = append(r.Notes, "--drop-caches: the checkpoint stayed in the page cache: its file system keeps it, or another process has it mapped")
	}
	if err != nil {
		return r, fmt.Errorf("the measured process failed: %s", firstLine(said.String(), err))
	}
	return r, nil
}

func firstLine(said string, err error) string {
	said, _, _ = strings.Cut(strings.TrimSpace(said), "\n")
	if said == "" {
		return err.Error()
	}
	return strings.TrimPrefix(said, "reel startup vae-worker: ")
}

// cacheOf evicts the weights when that is asked for, and says how much of them is
// in the page cache.
func cacheOf(dir string, drop bool) (list []startup.CacheState, word string) {
	files := filesIn(dir, "", ".safetensors")
	var sum, in float64
	for _, path := range files {
		st, err := os.Stat(path)
		if err != nil {
			continue
		}
		if drop {
			_ = startup.Evict(path) // what is still there shows
		}
		share, err := startup.Resident(path)
		if err != nil {
			continue
		}
		list = append(list, startup.CacheState{File: filepath.Base(path), Bytes: st.Size(), Resident: share})
		sum, in = sum+float64(st.Size()), in+share*float64(st.Size())
	}
	switch {
	case sum == 0:
		return list, ""
	case in/sum < 0.05:
		return list, "cold"
	case in/sum > 0.95:
		return list, "warm"
	}
	return list, "mixed"
}
