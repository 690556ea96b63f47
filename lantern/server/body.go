package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // inputs may be of these forms
	_ "image/jpeg"
	_ "image/png"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The bounds of what a request may ask for. An engine has narrower ones.
const (
	maxPrompt = 8192 // bytes
	maxSteps  = 1000
	maxFrames = 4096
	maxPixels = 4096 // a side
	bodyTime  = time.Minute
)

var errNull = errors.New("it is null")

// params are the fields of a request by name, whatever form its body has.
type params struct {
	field map[string]any // string, json.Number, bool, nil
	file  []byte         // input_reference of a form
}

// readBody reads a JSON object or a form, which must come within bodyTime.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) (*params, error) {
	limit := http.NewResponseController(w)
	_ = limit.SetReadDeadline(time.Now().Add(bodyTime)) // where the connection has none, it waits
	r.Body = http.MaxBytesReader(w, r.Body, s.opt.Body)
	p, err := readParams(r)
	if err == nil {
		_ = limit.SetReadDeadline(time.Time{}) // otherwise it bounds what is left of the body, too
	}
	return p, err
}

func readParams(r *http.Request) (*params, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		return readForm(r)
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: the body: %w", ErrRequest, err)
	}
	// curl calls a body a form unless it is told otherwise, JSON too.
	if kind == "application/x-www-form-urlencoded" && !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		r.Body = io.NopCloser(bytes.NewReader(data))
		return readForm(r)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	p := &params{}
	if err := d.Decode(&p.field); err != nil || p.field == nil {
		return nil, fmt.Errorf("%w: the body is no JSON object: %w", ErrRequest, cmp.Or(err, errNull))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: the body holds more than one JSON object", ErrRequest)
	}
	return p, nil
}

func readForm(r *http.Request) (*params, error) {
	if err := r.ParseMultipartForm(1 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, fmt.Errorf("%w: the form: %w", ErrRequest, err)
	}
	p := &params{field: map[string]any{}}
	for k, v := range r.PostForm {
		p.field[k] = v[0]
	}
	if f, _, err := r.FormFile("input_reference"); err == nil {
		defer f.Close()
		if p.file, err = io.ReadAll(f); err != nil {
			return nil, faultf("input_reference", "%v", err)
		}
	}
	if r.MultipartForm != nil {
		defer r.MultipartForm.RemoveAll()
	}
	return p, nil
}

// text returns a text field.
func (p *params) text(name string, limit int) (string, error) {
	switch v := p.field[name].(type) {
	case nil:
		return "", nil
	case string:
		if len(v) > limit {
			return "", faultf(name, "%d bytes; at most %d", len(v), limit)
		}
		return v, nil
	default:
		return "", faultf(name, "a text is wanted, not %v", short(v))
	}
}

// number returns a whole number within bounds; set is false when it is absent.
func (p *params) number(name string, lo, hi int64) (v int64, set bool, err error) {
	text, set := p.numeric(name)
	if !set {
		return 0, false, nil
	}
	v, err = strconv.ParseInt(text, 10, 64)
	if err != nil || v < lo || v > hi {
		return 0, true, faultf(name, "%s: a whole number from %d to %d is wanted", short(text), lo, hi)
	}
	return v, true, nil
}

func (p *params) float(name string, lo, hi float64) (v float64, set bool, err error) {
	text, set := p.numeric(name)
	if !set {
		return 0, false, nil
	}
	v, err = strconv.ParseFloat(text, 64)
	if err != nil || !(v >= lo && v <= hi) {
		return 0, true, faultf(name, "%s: a number from %g to %g is wanted", short(text), lo, hi)
	}
	return v, true, nil
}

func (p *params) numeric(name string) (string, bool) {
	switch v := p.field[name].(type) {
	case nil:
		return "", false
	case json.Number:
		return v.String(), true
	case string:
		return strings.TrimSpace(v), v != ""
	default:
		return fmt.Sprint(v), true
	}
}

// short is a value as messages show it.
func short(v any) string {
	s := fmt.Sprintf("%q", fmt.Sprint(v))
	if len(s) > 60 {
		s = s[:57] + `…"`
	}
	return s
}

// job reads what pictures and videos have in common.
func (p *params) job() (j Job, err error) {
	if j.Prompt, err = p.text("prompt", maxPrompt); err != nil {
		return j, err
	}
	if strings.TrimSpace(j.Prompt) == "" {
		return j, faultf("prompt", "a text is wanted")
	}
	if j.Negative, err = p.text("negative_prompt", maxPrompt); err != nil {
		return j, err
	}
	if j.Width, j.Height, err = p.size(); err != nil {
		return j, err
	}
	steps, _, err := p.number("num_inference_steps", 1, maxSteps)
	if err != nil {
		return j, err
	}
	j.Steps = int(steps)
	if j.Guidance, _, err = p.float("guidance_scale", 0, 100); err != nil {
		return j, err
	}
	seed, set, err := p.number("seed", 0, 1<<62)
	if err != nil {
		return j, err
	}
	if j.Seed = uint64(seed); !set {
		j.Seed = rand.Uint64N(1 << 31)
	}
	if len(p.file) > 0 {
		j.Image, err = picture(p.file)
	}
	return j, err
}

// picture decodes an input picture whose size is looked at first.
func picture(data []byte) (image.Image, error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, faultf("input_reference", "a PNG, JPEG or GIF is wanted: %v", err)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxPixels || c.Height > maxPixels {
		return nil, faultf("input_reference", "%d x %d pixels; sides of 1 to %d can be read", c.Width, c.Height, maxPixels)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, faultf("input_reference", "%v", err)
	}
	return img, nil
}

// size reads "size" ("640x480", "auto") or width and height.
func (p *params) size() (w, h int, err error) {
	size, err := p.text("size", 32)
	if err != nil {
		return 0, 0, err
	}
	if size != "" && size != "auto" {
		ws, hs, ok := strings.Cut(strings.ToLower(size), "x")
		w, errW := strconv.Atoi(ws)
		h, errH := strconv.Atoi(hs)
		if !ok || errW != nil || errH != nil || w < 1 || h < 1 || w > maxPixels || h > maxPixels {
			return 0, 0, faultf("size", "%s: want WIDTHxHEIGHT, sides of 1 to %d", short(size), maxPixels)
		}
		return w, h, nil
	}
	for _, x := range []struct {
		name string
		v    *int
	}{{"width", &w}, {"height", &h}} {
		n, _, err := p.number(x.name, 1, maxPixels)
		if err != nil {
			return 0, 0, err
		}
		*x.v = int(n)
	}
	return w, h, nil
}
