package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"reel/control"
	"reel/internal/display"
	"reel/render/text"
	"reel/table"
)

// processList is the document reel.processes/1.
type processList struct {
	Schema    string    `json:"schema"`
	Processes []process `json:"processes"`
}

// process is one that serves its control, with what it says.
type process struct {
	PID      int    `json:"pid"`
	Addr     string `json:"addr"`
	App      string `json:"app,omitempty"`
	State    string `json:"state,omitempty"`
	Profiler string `json:"profiler,omitempty"`
	Run      string `json:"run,omitempty"`   // of the latest session
	Error    string `json:"error,omitempty"` // in place of a state
}

// askTimeout is how long a process of a list may take to answer.
const askTimeout = 3 * time.Second

// listProcesses tells of the processes that serve by pid.
func (a *app) listProcesses(ctx context.Context, asJSON bool) error {
	found, err := control.Processes()
	if err != nil {
		a.warn("%v", err)
	}
	list := []process{}
	for _, p := range found {
		list = append(list, askProcess(ctx, p))
	}
	if asJSON {
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		return e.Encode(processList{"reel.processes/1", list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.Out, "no process of yours serves its control by its pid; one with an address is asked with --addr")
		return err
	}
	t := table.New("processes", table.Col{Name: "pid"}, table.Col{Name: "program"}, table.Col{Name: "state"}, table.Col{Name: "profiler"}, table.Col{Name: "run folder"})
	for _, p := range list {
		t.Add(fmt.Sprint(p.PID), display.Clean(p.App), display.Clean(cmp.Or(p.State, p.Error)), display.Clean(p.Profiler), display.Clean(p.Run))
	}
	return text.Write(a.Out, t, text.Options{Width: a.layout().Width})
}

func askProcess(ctx context.Context, p control.Process) process {
	out := process{PID: p.PID, Addr: p.Addr}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	client, err := control.Dial(p.Addr)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	st, err := client.Status(ctx)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.App, out.State, out.Profiler = st.App, st.State.String(), st.Profiler
	if st.Session != nil {
		out.Run = st.Session.Run
	}
	return out
}
