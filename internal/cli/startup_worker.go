package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"reel/internal/birth"
	"reel/internal/rundir"
	"reel/lantern/device"
	"reel/lantern/nn"
	"reel/lantern/tensorfile"
	"reel/lantern/wan"
	"reel/rec/startup"
)

// startupWorkerCmd is the process that startup vae measures.
func (a *app) startupWorkerCmd() *cobra.Command {
	var f vaeFlags
	c := &cobra.Command{
		Use: "vae-worker", Hidden: true, Args: a.noArgs,
		RunE: a.run(func(c *cobra.Command, _ []string) error {
			a.ownsSignals.Store(true)
			return a.vaeWorker(c.Context(), f)
		}),
	}
	s := c.Flags()
	s.StringVar(&f.model, "model-path", "", "")
	s.StringVar(&f.latent, "latent", "2x8x8", "")
	s.StringVar(&f.tensor, "tensor-output", "", "")
	s.StringVar(&f.input, "latent-output", "", "")
	s.BoolVar(&f.synchronize, "synchronize", false, "")
	s.BoolVar(&f.force, "force", false, "")
	return c
}

// vaeWorker loads and decodes, with its phases collected when the parent says so,
// and leaves its report whatever happens.
func (a *app) vaeWorker(ctx context.Context, f vaeFlags) (err error) {
	entered := time.Now()
	dims, err := parseLatent(f.latent)
	if err != nil {
		return err
	}
	w := &vaeWork{f: f, dims: dims}
	if a.Getenv(vaeCollect) == "false" {
		return w.run(ctx)
	}
	origin := birth.At
	if ns, err := strconv.ParseInt(a.Getenv(vaeExec), 10, 64); err == nil {
		origin = time.Unix(0, ns)
	}
	o := startup.Options{Origin: origin, Faults: true}
	if f.synchronize {
		o.Sync = w.sync
	}
	ctx, collector := startup.Collect(ctx, o)
	collector.Add("process.start", origin, birth.At, nil)
	collector.Add("imports", birth.At, entered, nil)
	defer func() {
		r := collector.Report()
		early := false // nothing but this command touches the device
		r.DeviceEarly = &early
		r.Environment = environmentOf()
		if path := a.Getenv(vaeReport); path != "" {
			var out bytes.Buffer
			if e := r.Encode(&out); e == nil {
				err = errors.Join(err, os.WriteFile(path, out.Bytes(), 0o600))
			}
		}
	}()
	return w.run(ctx)
}

// environmentOf says what was measured.
func environmentOf() startup.Environment {
	info := rundir.Describe("startup vae") // the checkpoint's hash is the parent's, which may read it
	host, _ := os.Hostname()               // a report does without
	return startup.Environment{Source: info.Versions["reel"], Hardware: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		Host: host, Versions: info.Versions}
}

// vaeWork is the work that is measured.
type vaeWork struct {
	f      vaeFlags
	dims   [3]int
	dev    *device.Device
	stream *device.Stream
	vae    *wan.VAE
	in     tensorfile.Tensor // the latent, normalised
	out    tensorfile.Tensor // the frames
}

// sync waits for the device, once there is one: before, it must not make it.
func (w *vaeWork) sync() error {
	if w.dev == nil {
		return nil
	}
	return w.dev.Synchronize(context.Background())
}

func (w *vaeWork) run(ctx context.Context) error {
	defer func() {
		_, p := startup.Begin(ctx, "device.release")
		w.close()
		_ = p.End(nil)
	}()
	for _, p := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"device.setup", w.setup}, {"component.vae", w.load}, {"vae.first_decode", w.decode}, {"output.verify", w.verify}, {"output.write", w.write},
	} {
		if err := startup.Do(ctx, p.name, func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return p.do(ctx)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (w *vaeWork) close() {
	if w.vae != nil {
		w.vae.Close()
	}
	if w.dev != nil {
		_ = w.dev.Close() // what went wrong has been told
		w.dev = nil
	}
}

func (w *vaeWork) setup(context.Context) error {
	w.dev = device.New(device.Options{})
	w.stream = w.dev.NewStream("compute")
	return nil
}

func (w *vaeWork) load(ctx context.Context) (err error) {
	w.vae, err = wan.LoadVAE(ctx, w.stream, os.DirFS(w.f.model), ".", wan.LoadOptions{Phase: func(ctx context.Context, name string) (context.Context, func(error)) {
		ctx, p := startup.Begin(ctx, name)
		return ctx, func(err error) { _ = p.End(err) }
	}})
	return err
}

// decode decodes a fixed latent, with the cache of the causal convolutions, a latent
// frame at a time.
func (w *vaeWork) decode(ctx context.Context) error {
	o := nn.On(ctx, w.stream)
	defer o.Close()
	z := w.vae.Config.ZDim
	rng := rand.New(rand.NewPCG(0, 0))
	v := make([]float32, z*w.dims[0]*w.dims[1]*w.dims[2])
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	w.in = tensorfile.Tensor{Name: "latent", Shape: []int{1, z, w.dims[0], w.dims[1], w.dims[2]}, Data: v}
	latent := o.FromHost(v, 1, z, w.dims[0], w.dims[1], w.dims[2])
	cache := w.vae.NewDecodeCache(o)
	defer cache.Close()
	var parts []nn.Tensor
	for t := range w.dims[0] {
		if err := ctx.Err(); err != nil {
			return err
		}
		parts = append(parts, w.vae.Decode(o, w.vae.Denormalize(o, o.Slice(latent, 2, t, t+1)), cache))
	}
	clip := o.Concat(2, parts...)
	data, err := o.ToHost(clip)
	w.out = tensorfile.Tensor{Name: "frames", Shape: clip.Dims(), Data: data}
	return err
}

// verify checks shape and finiteness; parity is not known by that.
func (w *vaeWork) verify(context.Context) error {
	c := w.vae.Config
	space, frames := 1<<(len(c.DimMult)-1), 1
	for _, down := range c.TimeDown {
		if down {
			frames *= 2
		}
	}
	want := []int{1, c.OutChannels, 1 + (w.dims[0]-1)*frames, w.dims[1] * space, w.dims[2] * space}
	if fmt.Sprint(w.out.Shape) != fmt.Sprint(want) {
		return fmt.Errorf("the output's shape is %v, want %v", w.out.Shape, want)
	}
	for i, v := range w.out.Data {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("value %d of the output is %v", i, v)
		}
	}
	return nil
}

func (w *vaeWork) write(context.Context) error {
	for _, x := range []struct {
		path   string
		tensor tensorfile.Tensor
	}{{w.f.tensor, w.out}, {w.f.input, w.in}} {
		if x.path == "" {
			continue
		}
		if err := tensorfile.Write(x.path, x.tensor, w.f.force); err != nil {
			return err
		}
	}
	return nil
}
