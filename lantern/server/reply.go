package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"reel/control"
)

// apiError is an error in the form of OpenAI's API.
type apiError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   string `json:"param,omitempty"`
	Code    int    `json:"code"`
}

// fault is an error of a request: the field and what is wrong with it.
type fault struct {
	param, text string
}

func (f *fault) Error() string { return f.param + ": " + f.text }
func (f *fault) Unwrap() error { return ErrRequest }

func faultf(param, format string, args ...any) error {
	return &fault{param, fmt.Sprintf(format, args...)}
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	code := statusOf(err)
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		code = http.StatusRequestEntityTooLarge
	}
	e := apiError{Message: err.Error(), Type: "invalid_request_error", Code: code}
	if code >= 500 {
		e.Type = "server_error"
	}
	var f *fault
	if errors.As(err, &f) {
		e.Param = f.param
	}
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
		e.Type = "overloaded_error"
	}
	answer(w, code, map[string]any{"error": e})
}

// answer writes a JSON reply.
func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // the client has gone
}

// guarded answers those alone who may use the server; /health is open to everybody.
func guarded(mux http.Handler, o control.HandlerOptions) http.Handler {
	guard := control.Guard(mux, o, func(w http.ResponseWriter, code int, err error) {
		answer(w, code, map[string]any{"error": apiError{Message: err.Error(), Type: "invalid_request_error", Code: code}})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.URL.Path == "/health" {
			mux.ServeHTTP(w, r)
			return
		}
		guard.ServeHTTP(w, r)
	})
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, map[string]any{"status": "ok", "model": s.engine.Model(), "running": s.queue.running(),
		"waiting": s.queue.waiting(), "uptime_seconds": int64(time.Since(s.opt.StartTime).Seconds())})
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{
		"id": s.engine.Model(), "object": "model", "created": s.opt.StartTime.Unix(), "owned_by": "reel"}}})
}
