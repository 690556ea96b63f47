package control

import (
	"encoding/json"
	"errors"
	"net/http"
)

// ReplySchema names the form of every JSON reply.
const ReplySchema = "reel.profile/1"

// Reply is the body of every reply but a download.
type Reply struct {
	Schema string       `json:"schema"`
	Error  string       `json:"error,omitempty"`
	Faults []FaultReply `json:"faults,omitempty"` // of the request's body
	Status
}

// FaultReply is a Fault for machines.
type FaultReply struct {
	Field string `json:"field,omitempty"`
	Value string `json:"value,omitempty"`
	Want  string `json:"want"`
}

// codeOf gives the HTTP status of an error.
func codeOf(err error) int {
	var state *StateError
	switch {
	case errors.Is(err, ErrDisabled):
		return http.StatusNotFound
	case errors.As(err, &state):
		return http.StatusConflict
	case errors.Is(err, ErrClosed):
		return http.StatusServiceUnavailable
	case len(Faults(err)) > 0:
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// refusal is the reply to those who may not know the state.
type refusal struct {
	Schema string `json:"schema"`
	Error  string `json:"error"`
}

// send writes a Reply or a refusal. Nothing of it may be kept by caches or guessed
// at.
func send(w http.ResponseWriter, code int, r any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	_ = e.Encode(r) // a client that has gone hears nothing
}

// fail writes the reply to an error, with the state and session of now.
func (h *handler) fail(w http.ResponseWriter, code int, err error) {
	r := Reply{Schema: ReplySchema, Error: err.Error(), Status: h.c.Status()}
	r.Earlier = nil
	for _, f := range Faults(err) {
		r.Faults = append(r.Faults, FaultReply{f.Field, f.Value, f.Want})
	}
	send(w, code, r)
}
