package launch

import (
	"slices"
	"strings"
)

// wrapper is a program that runs the command in its arguments.
type wrapper struct {
	verbs  []string // words that come first: "uv run"
	values string   // options that take a value, separated by blanks
	words  int      // arguments that are no options before the command: taskset's mask
	assign bool     // NAME=VALUE may stand before the command
}

// wrappers are those that people put before a program.
var wrappers = map[string]wrapper{
	"env":     {values: "-u --unset -C --chdir -S --split-string", assign: true},
	"nice":    {values: "-n --adjustment"},
	"ionice":  {values: "-c -n -p --class --classdata"},
	"nohup":   {},
	"setsid":  {},
	"stdbuf":  {values: "-i -o -e"},
	"time":    {values: "-f -o --format --output"},
	"timeout": {values: "-k -s --kill-after --signal", words: 1},
	"taskset": {words: 1},
	"numactl": {values: "-N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred"},
	"uv":      {verbs: []string{"run"}, values: "--package --python -p --with --with-requirements --extra --group --project --directory --index-url --env-file -w --no-group"},
	"uvx":     {values: "--from --with --python -p"},
	"poetry":  {verbs: []string{"run"}},
	"pdm":     {verbs: []string{"run"}},
	"pixi":    {verbs: []string{"run"}, values: "-e --environment --manifest-path"},
	"conda":   {verbs: []string{"run"}, values: "-n -p --name --prefix --cwd"},
	"mamba":   {verbs: []string{"run"}, values: "-n -p --name --prefix --cwd"},
	"sudo":    {values: "-u -g -C -p -h", assign: true},
	"mpirun":  {values: "-n -np -x -H --host --hostfile --map-by --bind-to -N"},
	"mpiexec": {values: "-n -np -x -H --host --hostfile --map-by --bind-to -N"},
	"srun":    {values: "-n -N -c -p -t -J -A --mem -G -w"},
	// accelerate's verb launch is a torch launcher of its own.
	"accelerate": {verbs: []string{}},
}

// skip returns the wrapped command, nil when there is none.
func (w wrapper) skip(args []string) []string {
	for _, verb := range w.verbs {
		if len(args) == 0 || args[0] != verb {
			return nil
		}
		args = args[1:]
	}
	if w.verbs != nil && len(w.verbs) == 0 { // accelerate
		if len(args) > 0 && args[0] == "launch" {
			return append([]string{"accelerate-launch"}, args[1:]...)
		}
		return nil
	}
	words := w.words
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "--":
			return args[1:]
		case strings.HasPrefix(a, "-") && len(a) > 1:
			if slices.Contains(strings.Fields(w.values), a) && len(args) > 1 {
				args = args[1:]
			}
		case w.assign && strings.Contains(a, "="):
		case words > 0:
			words--
		default:
			return args
		}
		args = args[1:]
	}
	return nil
}
