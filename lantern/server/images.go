package server

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"reel/lantern/media"
)

// imageReply is the reply of /v1/images/generations.
type imageReply struct {
	Created  int64          `json:"created"`
	Data     []imageData    `json:"data"`
	Model    string         `json:"model"`
	Seed     uint64         `json:"seed"`
	Warnings []string       `json:"warnings,omitempty"`
	Stages   []*StageReport `json:"stage_times,omitempty"` // of each picture
	// StageDurations are seconds by stage, over all pictures, as vLLM-Omni names them.
	StageDurations map[string]float64 `json:"stage_durations,omitempty"`
}

type imageData struct {
	B64 string `json:"b64_json"`
}

func (s *Server) images(w http.ResponseWriter, r *http.Request) {
	p, err := s.readBody(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	j, n, err := s.imageJob(p)
	if err != nil {
		fail(w, err)
		return
	}
	if err := s.queue.reserve(); err != nil {
		s.metrics.failed("image", err)
		fail(w, err)
		return
	}
	reply, err := s.pictures(w, r, j, n)
	s.queue.leave() // a client that takes its time to read keeps no place
	if err != nil {
		fail(w, err)
		return
	}
	reply.Warnings = s.warnings(p)
	answer(w, http.StatusOK, reply)
}

// pictures makes n pictures, with seeds in a row.
func (s *Server) pictures(w http.ResponseWriter, r *http.Request, j Job, n int) (*imageReply, error) {
	reply := &imageReply{Created: time.Now().Unix(), Model: s.engine.Model(), Seed: j.Seed}
	seed := j.Seed
	for i := range n {
		j.Seed = seed + uint64(i)
		m, err := s.run(r.Context(), "image", j)
		if err != nil {
			return nil, err
		}
		var png bytes.Buffer
		if err := media.PNG(&png, m.Frames[0]); err != nil {
			return nil, err
		}
		reply.Data = append(reply.Data, imageData{base64.StdEncoding.EncodeToString(png.Bytes())})
		reply.add(m.stages)
		setTimes(w, &m)
	}
	return reply, nil
}

func (r *imageReply) add(s *StageReport) {
	if s == nil {
		return
	}
	r.Stages = append(r.Stages, s)
	if r.StageDurations == nil {
		r.StageDurations = map[string]float64{}
	}
	for name, v := range s.Durations {
		r.StageDurations[name] += v
	}
}

// setTimes tells the time in the engine and the device's peak, in vLLM-Omni's
// headers.
func setTimes(w http.ResponseWriter, m *made) {
	w.Header().Set("X-Inference-Time-S", fmt.Sprintf("%.6f", m.took.Seconds()))
	if m.PeakMemory > 0 {
		w.Header().Set("X-Peak-Memory-Mb", fmt.Sprintf("%.1f", float64(m.PeakMemory)/(1<<20)))
	}
}

// imageJob reads a request for pictures.
func (s *Server) imageJob(p *params) (j Job, n int, err error) {
	if j, err = p.job(); err != nil {
		return j, 0, err
	}
	j.Frames = 1
	count, set, err := p.number("n", 1, int64(s.opt.Images))
	if err != nil {
		return j, 0, err
	}
	if !set {
		count = 1
	}
	form, err := p.text("response_format", 32)
	if err != nil {
		return j, 0, err
	}
	if form != "" && form != "b64_json" {
		return j, 0, faultf("response_format", "%s: only b64_json is served", short(form))
	}
	return j, int(count), nil
}

// warnings are what a request asked for and will not get.
func (s *Server) warnings(p *params) (list []string) {
	if model, ok := p.field["model"].(string); ok && model != "" && model != s.engine.Model() {
		list = append(list, fmt.Sprintf("model %s was asked for; %q is served", short(model), s.engine.Model()))
		s.opt.Log.Warn("another model was asked for", "asked", strings.ToValidUTF8(model, "?"), "served", s.engine.Model())
	}
	return list
}
