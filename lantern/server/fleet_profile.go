package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"reel/control"
)

// rankReply is what one rank said.
type rankReply struct {
	Rank  int            `json:"rank"`
	Code  int            `json:"code,omitempty"` // HTTP status; 0 when it did not answer
	Error string         `json:"error,omitempty"`
	Reply *control.Reply `json:"-"`
	State string         `json:"state,omitempty"`
}

// fleetReply is a Reply with what each rank said.
type fleetReply struct {
	control.Reply
	Ranks []rankReply `json:"ranks"`
}

// maxReply bounds what is read of a rank's reply.
const maxReply = 16 << 20

// ask sends a request to every rank at once. A client that goes away meanwhile leaves
// no rank behind the others.
func (f *Fleet) ask(ctx context.Context, method, path string, body []byte) []rankReply {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.opt.Timeout)
	defer cancel()
	out := make([]rankReply, len(f.ranks))
	var wg sync.WaitGroup
	for i, r := range f.ranks {
		wg.Go(func() { out[i] = r.ask(ctx, method, path, body) })
	}
	wg.Wait()
	return out
}

func (r *Rank) ask(ctx context.Context, method, path string, body []byte) (x rankReply) {
	x.Rank = r.Rank
	if ok, cause := r.alive(); !ok {
		x.Error = "the worker process has ended: " + cause
		return x
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(body))
	if err != nil {
		x.Error = err.Error()
		return x
	}
	res, err := r.transport.RoundTrip(req)
	if err != nil {
		if ok, cause := r.alive(); !ok {
			err = fmt.Errorf("the worker process has ended: %s", cause)
		}
		x.Error = err.Error()
		return x
	}
	defer res.Body.Close()
	x.Code = res.StatusCode
	x.Reply = &control.Reply{}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxReply)).Decode(x.Reply); err != nil {
		x.Error, x.Reply = err.Error(), nil
		return x
	}
	x.Error, x.State = x.Reply.Error, x.Reply.State.String()
	return x
}

// start starts the profiler on all ranks, each with its next iteration: there is no
// barrier, which would hang when a rank is late. Where one cannot, the others are
// stopped again and the reply names it.
func (f *Fleet) start(w http.ResponseWriter, req *http.Request) {
	f.prof.Lock()
	defer f.prof.Unlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 1<<20))
	if err != nil {
		fail(w, fmt.Errorf("%w: %w", ErrRequest, err))
		return
	}
	all := f.ask(req.Context(), "POST", "/start_profile", body)
	started, failed := 0, 0
	for _, x := range all {
		switch {
		case x.Code == http.StatusOK:
			started++
		case x.Code != 0: // a rank that is dead cannot be waited for
			failed++
		}
	}
	if failed > 0 && started > 0 {
		undo := f.ask(req.Context(), "POST", "/stop_profile", nil)
		for i := range all {
			if all[i].Code == http.StatusOK && undo[i].Code == http.StatusOK {
				all[i].Error = "stopped again, since another rank could not start"
			}
		}
	}
	f.reply(w, all, started > 0 && failed == 0)
}

// stop stops it and lists what all ranks left, or which of them failed.
func (f *Fleet) stop(w http.ResponseWriter, req *http.Request) {
	f.prof.Lock()
	defer f.prof.Unlock()
	all := f.ask(req.Context(), "POST", "/stop_profile", nil)
	stopped := false
	for _, x := range all {
		stopped = stopped || x.Code == http.StatusOK
	}
	f.reply(w, all, stopped)
}

func (f *Fleet) status(w http.ResponseWriter, req *http.Request) {
	f.reply(w, f.ask(req.Context(), "GET", "/profile", nil), true)
}

// reply joins the ranks' replies: the state is that of the first one that answered,
// artifacts are those of all, by names that tell their rank.
func (f *Fleet) reply(w http.ResponseWriter, all []rankReply, good bool) {
	out := fleetReply{Ranks: all}
	out.Schema = control.ReplySchema
	code := http.StatusOK
	var wrong []string
	for _, x := range all {
		if x.Error != "" {
			wrong = append(wrong, fmt.Sprintf("rank %d: %s", x.Rank, x.Error))
		}
		if x.Reply == nil {
			continue
		}
		if out.Profiler == "" {
			out.Status, out.Faults = x.Reply.Status, x.Reply.Faults
			out.Session, out.PID = nil, os.Getpid() // of the whole
		}
		if s := x.Reply.Session; s != nil {
			out.join(x.Rank, *s)
		}
	}
	if !good {
		code = worstCode(all)
	}
	out.Error = strings.Join(wrong, "; ")
	if s := out.Session; s != nil && good {
		s.Warnings = append(s.Warnings, wrong...)
	}
	answer(w, code, out)
}

// join adds a rank's session to the whole one.
func (r *fleetReply) join(rank int, s control.Session) {
	for i := range s.Artifacts {
		s.Artifacts[i].ID = strconv.Itoa(rank) + ":" + s.Artifacts[i].ID
	}
	if r.Session == nil {
		r.Session = &s
		return
	}
	t := r.Session
	t.Artifacts = append(t.Artifacts, s.Artifacts...)
	t.Coverage = append(t.Coverage, s.Coverage...)
	t.Warnings = append(t.Warnings, s.Warnings...)
	t.Faults = append(t.Faults, s.Faults...)
	t.Seen, t.Recorded = t.Seen+s.Seen, t.Recorded+s.Recorded
}

// worstCode is the status of the first rank that refused.
func worstCode(all []rankReply) int {
	for _, x := range all {
		if x.Code != 0 && x.Code != http.StatusOK {
			return x.Code
		}
	}
	return http.StatusBadGateway
}

// artifact passes a download to its rank: ids are "rank:id".
func (f *Fleet) artifact(w http.ResponseWriter, req *http.Request) {
	rank, id, ok := strings.Cut(req.PathValue("id"), ":")
	for _, r := range f.ranks {
		if ok && strconv.Itoa(r.Rank) == rank {
			inner := req.Clone(req.Context())
			inner.URL.Path, inner.URL.RawPath = "/profile/artifacts/"+id, ""
			r.proxy.ServeHTTP(w, inner)
			return
		}
	}
	answer(w, http.StatusNotFound, map[string]any{"schema": control.ReplySchema, "error": "there is no such artifact"})
}
