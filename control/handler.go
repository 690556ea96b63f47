package control

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"time"
)

// HandlerOptions are the choices of a handler.
type HandlerOptions struct {
	// Token is what clients send as "Authorization: Bearer …". With a token it is
	// wanted on every TCP connection; without one only loopback addresses and unix
	// sockets are answered.
	Token string
	// Bind is the address that the server listens on. Where it is empty the
	// server's own Addr counts, else the address of each connection. Say it when
	// the server listens on every address through a listener of its own.
	Bind string
}

// maxBody bounds the body of a request, bodyTime how long it may take to come.
const (
	maxBody  = 64 << 10
	bodyTime = 30 * time.Second
)

type handler struct {
	c    *Controller
	opts HandlerOptions
}

// Handler returns the control of c over HTTP, for any server to mount at its root:
//
//	POST /start_profile             start; body optional
//	POST /stop_profile              stop, and list what it left; body optional
//	GET  /profile                   where the controller stands
//	GET  /profile/artifacts/{id}    an artifact, by the id that was listed
//
// The body of a start is a JSON object with profile_prefix, delay_iterations,
// max_iterations and stages, each optional; that of a stop has stages. Codes: 200,
// 400 with what is wrong, 401 without token, 403 from a web page of elsewhere, 404
// when no profiler is configured, 409 with the state, 413, 500 with what failed.
func Handler(c *Controller, opts HandlerOptions) http.Handler {
	h := &handler{c, opts}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /start_profile", h.start)
	mux.HandleFunc("POST /stop_profile", h.stop)
	mux.HandleFunc("GET /profile", h.status)
	mux.HandleFunc("GET /profile/artifacts/{id}", h.download)
	return Guard(mux, opts, func(w http.ResponseWriter, code int, err error) {
		send(w, code, refusal{ReplySchema, err.Error()})
	})
}

func (h *handler) start(w http.ResponseWriter, r *http.Request) {
	if !h.c.cfg.Enabled() {
		h.fail(w, http.StatusNotFound, ErrDisabled)
		return
	}
	var body startBody
	if code, err := h.body(w, r, body.fields(), body.check); err != nil {
		h.fail(w, code, err)
		return
	}
	s, err := h.c.Start(body.options())
	if err != nil {
		h.fail(w, codeOf(err), err)
		return
	}
	send(w, http.StatusOK, Reply{Schema: ReplySchema, Status: h.c.statusOf(s)})
}

func (h *handler) stop(w http.ResponseWriter, r *http.Request) {
	if !h.c.cfg.Enabled() {
		h.fail(w, http.StatusNotFound, ErrDisabled)
		return
	}
	var body startBody
	if code, err := h.body(w, r, body.fields()[:1], body.check); err != nil {
		h.fail(w, code, err)
		return
	}
	s, err := h.c.Stop(r.Context())
	reply := Reply{Schema: ReplySchema, Status: h.c.statusOf(s)}
	var failed *SessionError
	switch {
	case err == nil:
		send(w, http.StatusOK, reply)
	case errors.As(err, &failed):
		reply.Error = err.Error()
		send(w, http.StatusInternalServerError, reply)
	default:
		h.fail(w, codeOf(err), err)
	}
}

func (h *handler) status(w http.ResponseWriter, _ *http.Request) {
	if !h.c.cfg.Enabled() {
		h.fail(w, http.StatusNotFound, ErrDisabled)
		return
	}
	send(w, http.StatusOK, Reply{Schema: ReplySchema, Status: h.c.Status()})
}

// download sends an artifact. The id is looked up, never made a path.
func (h *handler) download(w http.ResponseWriter, r *http.Request) {
	file, a, err := h.c.Open(r.PathValue("id"))
	if err != nil {
		h.fail(w, http.StatusNotFound, errors.New("no such artifact; GET /profile lists them"))
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		h.fail(w, http.StatusNotFound, errors.New("the artifact is gone"))
		return
	}
	name := path.Base(a.Path)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, name, info.ModTime(), file)
}

// body reads a bounded body: nothing, or one JSON object of the fields.
func (h *handler) body(w http.ResponseWriter, r *http.Request, names []bodyField, check func(stage int) error) (int, error) {
	limit := http.NewResponseController(w)
	_ = limit.SetReadDeadline(time.Now().Add(bodyTime)) // where the connection has none, it waits
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		_ = limit.SetReadDeadline(time.Time{}) // otherwise it bounds what is left of the body, too
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the body is larger than %d bytes", maxBody)
	}
	if err != nil {
		return http.StatusBadRequest, fmt.Errorf("read the body: %w", err)
	}
	if err := readBody(data, names); err != nil {
		return http.StatusBadRequest, fmt.Errorf("body: %w", err)
	}
	if err := check(h.c.opts.Stage); err != nil {
		return http.StatusBadRequest, fmt.Errorf("body: %w", err)
	}
	return 0, nil
}
