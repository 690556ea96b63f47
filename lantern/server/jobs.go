package server

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"sync"
)

// videoJob is a job as replies show it.
type videoJob struct {
	ID        string       `json:"id"`
	Object    string       `json:"object"`
	Model     string       `json:"model"`
	Status    string       `json:"status"` // queued, in_progress, completed, failed
	Created   int64        `json:"created_at"`
	Completed int64        `json:"completed_at,omitempty"`
	Prompt    string       `json:"prompt"`
	Seed      uint64       `json:"seed"`
	Size      string       `json:"size,omitempty"`
	Error     *apiError    `json:"error,omitempty"`
	Inference float64      `json:"inference_time_s,omitempty"`
	Stages    *StageReport `json:"stage_times,omitempty"`
	Warnings  []string     `json:"warnings,omitempty"`

	cancel context.CancelFunc
	video  video
}

// jobs are the video jobs, the oldest finished ones forgotten beyond a bound.
type jobs struct {
	mu     sync.Mutex
	keep   int
	prefix string
	all    []*videoJob
}

func newJobs(keep int, prefix string) *jobs { return &jobs{keep: keep, prefix: "video_" + prefix} }

func (q *jobs) add(model string, j Job, warnings []string, cancel context.CancelFunc) *videoJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	x := &videoJob{ID: q.prefix + rand.Text(), Object: "video", Model: model, Status: "queued", Created: now(),
		Prompt: j.Prompt, Seed: j.Seed, Warnings: warnings, cancel: cancel}
	q.all = append(q.all, x)
	for i := 0; len(q.all) > q.keep && i < len(q.all); {
		if q.all[i].Completed == 0 {
			i++ // it runs: the queue bounds those
			continue
		}
		q.all = slices.Delete(q.all, i, i+1)
	}
	return x
}

func (q *jobs) set(x *videoJob, f func(*videoJob)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f(x)
}

// finish files what a job gave.
func (q *jobs) finish(x *videoJob, v video, m *made, err error) {
	q.set(x, func(x *videoJob) {
		x.Completed, x.Status, x.Stages, x.Inference = now(), "completed", m.stages, m.took.Seconds()
		if err != nil {
			x.Status, x.Error = "failed", &apiError{Message: err.Error(), Type: "server_error", Code: statusOf(err)}
			return
		}
		x.video = v
		size := m.Frames[0].Bounds().Size()
		x.Size = strconv.Itoa(size.X) + "x" + strconv.Itoa(size.Y)
	})
}

// show returns a copy for a reply.
func (q *jobs) show(x *videoJob) videoJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := *x
	c.video, c.cancel = video{}, nil
	return c
}

func (q *jobs) list() []videoJob {
	q.mu.Lock()
	all := slices.Clone(q.all)
	q.mu.Unlock()
	out := []videoJob{}
	for _, x := range all {
		out = append(out, q.show(x))
	}
	return out
}

func (q *jobs) get(id string) *videoJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.IndexFunc(q.all, func(x *videoJob) bool { return x.ID == id }); i >= 0 {
		return q.all[i]
	}
	return nil
}

func (q *jobs) content(x *videoJob) (video, string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return x.video, x.Status
}

// remove forgets a job and ends it when it runs.
func (q *jobs) remove(id string) *videoJob {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.all, func(x *videoJob) bool { return x.ID == id })
	if i < 0 {
		return nil
	}
	x := q.all[i]
	q.all = slices.Delete(q.all, i, i+1)
	x.cancel()
	return x
}
