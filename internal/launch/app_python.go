package launch

import (
	"slices"
	"strings"
)

// pythonApp reads an interpreter's arguments up to what it runs.
func pythonApp(name string, args []string) string {
	run := readPython(args)
	switch {
	case run.module == "torch.distributed.run", run.module == "torch.distributed.launch":
		return torchApp("torchrun", run.rest)
	case run.module == "accelerate.commands.launch":
		return torchApp("accelerate-launch", run.rest)
	case run.module != "":
		return run.module
	case run.script != "":
		return scriptName(run.script)
	}
	return name
}

// pythonRun is what an interpreter's arguments say.
type pythonRun struct {
	flags  string // those of -I, -E and -S that are on
	module string // of -m
	script string
	rest   []string // the arguments of what it runs
}

// readPython reads the options of an interpreter: flags may be joined ("-IB"), and
// -W, -X and --check-hash-based-pycs take a value.
func readPython(args []string) (p pythonRun) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-" || !strings.HasPrefix(a, "-"):
			p.script, p.rest = strings.TrimPrefix(a, "-"), args[i+1:]
			return p
		case strings.HasPrefix(a, "--"):
			if a == "--check-hash-based-pycs" {
				i++
			}
			continue
		}
		for j, c := range a[1:] {
			value := a[1+j+1:] // joined to the letter
			switch c {
			case 'I', 'E', 'S':
				p.flags += string(c)
				continue
			case 'm', 'c', 'W', 'X':
			default:
				continue
			}
			if value == "" && i+1 < len(args) {
				i++
				value = args[i]
			}
			if c == 'm' {
				p.module = value
			}
			if c == 'm' || c == 'c' {
				p.rest = args[min(i+1, len(args)):]
				return p
			}
			break
		}
	}
	return p
}

// torchLaunchers are the programs that start one process per device, with those
// of their options that take no value.
var torchLaunchers = map[string][]string{
	"torchrun": {"--standalone", "--no-python", "--no_python", "--run-path", "--run_path", "-m", "--module", "--use-env", "--use_env", "--virtual-local-rank", "--event-log-handler"},
	"accelerate-launch": {"--multi_gpu", "--multi-gpu", "--cpu", "--tpu", "--use_deepspeed", "--use_fsdp", "-m", "--module", "--no_python", "--no-python",
		"--quiet", "-q", "--debug", "--same_network", "--use_xpu", "--use_mps_device", "--use_megatron_lm"},
	"deepspeed": {"--no_python", "--module", "--force_multi", "--no_local_rank", "--no_ssh"},
}

func torchApp(name string, args []string) string {
	module := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			continue
		}
		if !strings.HasPrefix(a, "-") {
			if module {
				return a
			}
			return scriptName(a)
		}
		module = module || a == "-m" || a == "--module"
		if !strings.Contains(a, "=") && !slices.Contains(torchLaunchers[name], a) {
			i++ // the option's value
		}
	}
	return name
}
