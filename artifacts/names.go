package artifacts

import (
	"fmt"
	"os"

	"reel/control"
	"reel/rec"
)

// name is an artifact's name: with what it is of, for a window.
func (j *job) name(standard string) string { return named(j.run, standard) }

func named(run *control.Run, standard string) string {
	if run.Window == nil {
		return standard
	}
	return rec.WindowName(standard)(*run.Window, 0)
}

// recordingName is that of a rank's recording.
func recordingName(run *control.Run) string {
	return named(run, fmt.Sprintf("rec-%d-%d.reel", run.Rank, os.Getpid()))
}
