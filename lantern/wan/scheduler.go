package wan

import (
	"fmt"
	"math"
)

// SchedulerConfig is the scheduler_config.json of Diffusers'
// FlowMatchEulerDiscreteScheduler.
type SchedulerConfig struct {
	TrainSteps int     `json:"num_train_timesteps"`
	Shift      float64 `json:"shift"`

	Dynamic       bool     `json:"use_dynamic_shifting"`
	Invert        bool     `json:"invert_sigmas"`
	ShiftTerminal *float64 `json:"shift_terminal"`
	Karras        bool     `json:"use_karras_sigmas"`
	Exponential   bool     `json:"use_exponential_sigmas"`
	Beta          bool     `json:"use_beta_sigmas"`
	Stochastic    bool     `json:"stochastic_sampling"`
}

// DefaultSchedulerConfig is Diffusers' default.
func DefaultSchedulerConfig() SchedulerConfig { return SchedulerConfig{TrainSteps: 1000, Shift: 1} }

func (c *SchedulerConfig) check() error {
	var k checks
	k.size("num_train_timesteps", c.TrainSteps, 1<<20)
	k.that(c.Shift > 0 && c.Shift <= 1000, "shift", c.Shift, "above 0, at most 1000")
	for _, f := range []struct {
		field string
		on    bool
	}{
		{"use_dynamic_shifting", c.Dynamic}, {"invert_sigmas", c.Invert}, {"use_karras_sigmas", c.Karras},
		{"use_exponential_sigmas", c.Exponential}, {"use_beta_sigmas", c.Beta}, {"stochastic_sampling", c.Stochastic},
	} {
		k.that(!f.on, f.field, f.on, "false")
	}
	k.that(c.ShiftTerminal == nil || *c.ShiftTerminal == 0, "shift_terminal", deref(c.ShiftTerminal), "null")
	return k.err
}

// Schedule is the noise levels of one denoising loop, from high to low. Sigma i
// is how noisy the latents are before step i; the last one, after the last
// step, is 0. Timestep i is what the model is told at step i.
type Schedule struct {
	Sigmas    []float32 // one more than steps
	Timesteps []float32
}

// MaxSteps bounds the steps of a loop.
const MaxSteps = 10_000

// Schedule makes the noise levels of a loop of n steps, equal to Diffusers' bit
// by bit: its shift applies twice, to the ends of the range when the scheduler
// is made and to each level here.
func (c SchedulerConfig) Schedule(n int) (Schedule, error) {
	if n < 1 || n > MaxSteps {
		return Schedule{}, fmt.Errorf("wan: %d denoise steps; 1 to %d are possible", n, MaxSteps)
	}
	train := float64(c.TrainSteps)
	end := func(t float32) float64 { return float64(c.shift32(t/float32(c.TrainSteps))) * train }
	from, to := end(float32(c.TrainSteps)), end(1)
	levels := make([]float64, n)
	for i := range levels {
		levels[i] = from / train
		if n > 1 {
			levels[i] = (from + float64(float64(i)*((to-from)/float64(n-1)))) / train
		}
	}
	if n > 1 {
		levels[n-1] = to / train
	}
	for i, s := range levels {
		levels[i] = c.Shift * s / (1 + float64((c.Shift-1)*s))
	}
	return c.schedule(levels), nil
}

// shift32 shifts in float32. A conversion around each product keeps it from
// being fused with the sum, which would round otherwise than the original.
func (c SchedulerConfig) shift32(s float32) float32 {
	return float32(float32(c.Shift)*s) / (1 + float32(float32(c.Shift-1)*s))
}

// ScheduleFrom makes the noise levels of a loop that starts at sigmas of the
// caller's, such as a refinement that begins below full noise. They fall, within
// 0 and 1, and are shifted like Diffusers' custom sigmas.
func (c SchedulerConfig) ScheduleFrom(sigmas []float32) (Schedule, error) {
	if len(sigmas) < 1 || len(sigmas) > MaxSteps {
		return Schedule{}, fmt.Errorf("wan: %d denoise steps; 1 to %d are possible", len(sigmas), MaxSteps)
	}
	levels := make([]float64, len(sigmas))
	last := float32(math.Inf(1))
	for i, s := range sigmas {
		if !(s > 0 && s <= 1 && s < last) {
			return Schedule{}, fmt.Errorf("wan: sigma %d is %g; sigmas fall, from 1 at most to above 0", i, s)
		}
		last = s
		levels[i] = float64(c.shift32(s))
	}
	return c.schedule(levels), nil
}

func (c SchedulerConfig) schedule(levels []float64) Schedule {
	var s Schedule
	for _, l := range levels {
		s.Sigmas = append(s.Sigmas, float32(l))
		s.Timesteps = append(s.Timesteps, float32(l)*float32(c.TrainSteps))
	}
	s.Sigmas = append(s.Sigmas, 0)
	return s
}

// Steps is the number of steps.
func (s Schedule) Steps() int { return len(s.Timesteps) }

// Delta is what step i multiplies the model's output by before it is added to
// the latents; negative, as the noise falls.
func (s Schedule) Delta(i int) float32 { return s.Sigmas[i+1] - s.Sigmas[i] }
