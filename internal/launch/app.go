package launch

import (
	"path/filepath"
	"regexp"
	"strings"
)

// App names the program that a command line is about: the script and not the
// interpreter, the application and not the launcher around it. "python gen.py" is
// gen, "torchrun --nproc-per-node 2 gen.py" too, "python -m pkg.tool" is pkg.tool,
// "flashdreams-run-v2 SLUG" is SLUG, "vllm serve MODEL" is vllm-serve.
func App(argv []string) string {
	for len(argv) > 0 {
		name := program(argv[0])
		if w, ok := wrappers[name]; ok {
			rest := w.skip(argv[1:])
			if len(rest) == 0 {
				return name
			}
			argv = rest
			continue
		}
		return appOf(name, argv[1:])
	}
	return "run"
}

// program is a command's name without folder and suffix.
func program(arg string) string { return strings.TrimSuffix(filepath.Base(arg), ".exe") }

// python matches the interpreters' names.
var python = regexp.MustCompile(`^(python|pypy)[0-9.]*t?$`)

func appOf(name string, args []string) string {
	switch {
	case python.MatchString(name):
		return pythonApp(name, args)
	case torchLaunchers[name] != nil:
		return torchApp(name, args)
	case name == "flashdreams-run-v2", name == "flashdreams-run":
		if word := firstWord(args); word != "" {
			return word
		}
	case name == "vllm", name == "reel", name == "sglang", name == "trtllm-serve", name == "diffusers-cli":
		if word := firstWord(args); word != "" && !strings.ContainsAny(word, "/.") {
			return name + "-" + word
		}
	case name == "sh", name == "bash", name == "zsh", name == "dash":
		if word := firstWord(args); word != "" && !strings.HasPrefix(firstOf(args), "-") {
			return scriptName(word)
		}
	}
	return scriptName(name)
}

func firstOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// firstWord is the first argument that is no option.
func firstWord(args []string) string {
	for _, a := range args {
		if a == "--" {
			return ""
		}
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// scriptName is a script's name without folder and suffix.
func scriptName(path string) string {
	base := filepath.Base(path)
	for _, suffix := range []string{".py", ".sh", ".bash", ".pyc", ".pyz"} {
		if stem, ok := strings.CutSuffix(base, suffix); ok && stem != "" {
			if stem == "__main__" {
				return filepath.Base(filepath.Dir(path))
			}
			return stem
		}
	}
	return base
}
