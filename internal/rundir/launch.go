package rundir

import (
	"fmt"
	"os"
	"time"
)

// Launch is what the program that started a run's command says about it.
type Launch struct {
	Backend  string     `json:"backend"`           // own, nsys or plain
	Command  []string   `json:"command"`           // what was started, without secrets
	PID      int        `json:"pid,omitempty"`     // of the command's first process
	Started  time.Time  `json:"started,omitzero"`  //
	Ended    time.Time  `json:"ended,omitzero"`    // zero while it runs, and in a run that was killed
	ExitCode *int       `json:"exit_code"`         // as a shell counts: 128 + n for signal n; null while it runs
	Signal   string     `json:"signal,omitempty"`  // that ended the first process
	Timeout  string     `json:"timeout,omitempty"` // that ended the run
	Asked    []string   `json:"asked,omitempty"`   // sources of events asked for: cuda, nvtx, …
	Missing  []string   `json:"missing,omitempty"` // those of them that nothing recorded
	Lost     []string   `json:"lost,omitempty"`    // processes that ended without closing their recording
	Warnings []string   `json:"warnings,omitempty"`
	Files    []Artifact `json:"files,omitempty"`
}

// WriteLaunch notes what a launcher says, as Write does for a rank. Of several that
// share the folder, run.json tells of one, and the warnings of all.
func (f *Folder) WriteLaunch(info Info, l Launch) error {
	return f.note(fmt.Sprintf("launch-%d.json", os.Getpid()), part{Info: info, Launch: &l})
}
