package lint

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

//go:embed loops.py
var loopsScript string

// pythonFiles has Python parse its sources, and finds their loops. It is started
// isolated (-I): what lies beside the sources is not imported.
func pythonFiles(ctx context.Context, files []string, o Options, r *Report) error {
	name := o.Python
	if name == "" {
		name = "python3"
	}
	exe, err := exec.LookPath(name)
	if err != nil {
		if o.Python != "" {
			return fmt.Errorf("lint: --python %s: %w", name, err)
		}
		return ErrNoPython
	}
	var in bytes.Buffer
	for _, f := range files {
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		in.Write(append(line, '\n'))
	}
	c := exec.CommandContext(ctx, exe, "-I", "-S", "-c", loopsScript)
	c.Stdin = &in
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("lint: %s: %w", name, err)
	}
	answered := r.python(bufio.NewScanner(out))
	_, _ = io.Copy(io.Discard, out) // what follows an answer that is too long: the script must not wait
	if err := c.Wait(); err != nil || answered != len(files) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("lint: %s parsed %d of %d files: %v %s", name, answered, len(files), err, strings.TrimSpace(said.String()))
	}
	return nil
}

// python reads the script's answers.
func (r *Report) python(s *bufio.Scanner) (answered int) {
	s.Buffer(nil, maxSource)
	for s.Scan() {
		var x struct {
			File, Error string
			Loops       []Loop
		}
		if json.Unmarshal(s.Bytes(), &x) != nil {
			continue
		}
		answered++
		if x.Error != "" {
			r.Skipped = append(r.Skipped, x.File+": "+x.Error)
		}
		for _, l := range x.Loops {
			l.File = x.File
			r.Loops = append(r.Loops, l)
		}
	}
	return answered
}
