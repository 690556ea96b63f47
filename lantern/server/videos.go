package server

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"reel/lantern/media"
)

// videoJob reads a request for a video.
func (p *params) videoJob() (j Job, rate float64, err error) {
	if j, err = p.job(); err != nil {
		return j, 0, err
	}
	frames, set, err := p.number("num_frames", 1, maxFrames)
	if err != nil {
		return j, 0, err
	}
	if rate, _, err = p.float("fps", 0.1, 240); err != nil {
		return j, 0, err
	}
	seconds, timed, err := p.float("seconds", 0.01, 3600)
	if err != nil {
		return j, 0, err
	}
	if timed && !set {
		fps := rate
		if fps == 0 {
			fps = 16
		}
		if frames = int64(seconds*fps + 0.5); frames > maxFrames {
			return j, 0, faultf("seconds", "%g: more than %d frames", seconds, maxFrames)
		}
	}
	j.Frames = int(frames)
	return j, rate, nil
}

// video is an encoded clip.
type video struct {
	kind string // its media type
	data []byte
}

// encode makes an MP4 where an encoder is at hand, else a GIF.
func encode(ctx context.Context, o Output, rate float64) (v video, err error) {
	if rate == 0 {
		rate = o.Rate
	}
	if rate == 0 {
		rate = 16
	}
	clip := media.Clip{Frames: o.Frames, Rate: rate}
	if !media.HasMP4() {
		var out bytes.Buffer
		err := media.GIF(&out, clip)
		return video{"image/gif", out.Bytes()}, err
	}
	dir, err := os.MkdirTemp("", "video-")
	if err != nil {
		return v, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "clip.mp4")
	if err := media.Write(ctx, path, clip, false); err != nil {
		return v, err
	}
	data, err := os.ReadFile(path)
	return video{"video/mp4", data}, err
}

// videoSync makes a video while the client waits.
func (s *Server) videoSync(w http.ResponseWriter, r *http.Request) {
	p, err := s.readBody(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	j, rate, err := p.videoJob()
	if err != nil {
		fail(w, err)
		return
	}
	if err := s.queue.reserve(); err != nil {
		s.metrics.failed("video", err)
		fail(w, err)
		return
	}
	m, err := s.run(r.Context(), "video", j)
	var v video
	if err == nil {
		v, err = encode(r.Context(), m.Output, rate)
	}
	s.queue.leave() // a client that takes its time to read keeps no place
	if err != nil {
		fail(w, err)
		return
	}
	setTimes(w, &m)
	w.Header().Set("X-Seed", strconv.FormatUint(j.Seed, 10))
	send(w, v, "video")
}

// send writes a video.
func send(w http.ResponseWriter, v video, name string) {
	suffix := ".mp4"
	if v.kind == "image/gif" {
		suffix = ".gif"
	}
	w.Header().Set("Content-Type", v.kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+suffix+`"`)
	w.Header().Set("Content-Length", strconv.Itoa(len(v.data)))
	_, _ = w.Write(v.data) // the client has gone
}

// createVideo begins a job and answers at once.
func (s *Server) createVideo(w http.ResponseWriter, r *http.Request) {
	p, err := s.readBody(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	j, rate, err := p.videoJob()
	if err != nil {
		fail(w, err)
		return
	}
	if err := s.queue.reserve(); err != nil {
		s.metrics.failed("video", err)
		fail(w, err)
		return
	}
	ctx, cancel := context.WithTimeout(s.background, s.opt.Deadline)
	job := s.jobs.add(s.engine.Model(), j, s.warnings(p), cancel)
	s.running.Go(func() {
		defer cancel()
		defer s.queue.leave()
		s.jobs.set(job, func(x *videoJob) { x.Status = "in_progress" })
		m, err := s.run(ctx, "video", j)
		var v video
		if err == nil {
			v, err = encode(ctx, m.Output, rate)
		}
		s.jobs.finish(job, v, &m, err)
	})
	answer(w, http.StatusOK, s.jobs.show(job))
}

func (s *Server) listVideos(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, map[string]any{"object": "list", "data": s.jobs.list()})
}

func (s *Server) showVideo(w http.ResponseWriter, r *http.Request) {
	if job := s.jobs.get(r.PathValue("id")); job != nil {
		answer(w, http.StatusOK, s.jobs.show(job))
		return
	}
	notFound(w)
}

func (s *Server) videoContent(w http.ResponseWriter, r *http.Request) {
	job := s.jobs.get(r.PathValue("id"))
	if job == nil {
		notFound(w)
		return
	}
	v, state := s.jobs.content(job)
	if state != "completed" {
		answer(w, http.StatusConflict, map[string]any{"error": apiError{Message: "the video is " + state, Type: "invalid_request_error", Code: http.StatusConflict}})
		return
	}
	send(w, v, job.ID)
}

func (s *Server) deleteVideo(w http.ResponseWriter, r *http.Request) {
	if job := s.jobs.remove(r.PathValue("id")); job != nil {
		answer(w, http.StatusOK, map[string]any{"id": job.ID, "object": "video", "deleted": true})
		return
	}
	notFound(w)
}

func notFound(w http.ResponseWriter) {
	answer(w, http.StatusNotFound, map[string]any{"error": apiError{Message: "there is no such video", Type: "invalid_request_error", Code: http.StatusNotFound}})
}

// now is the time as replies give it.
func now() int64 { return time.Now().Unix() }
