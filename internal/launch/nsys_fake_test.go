//go:build unix

package launch

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A stand-in for Nsight Systems' command line: it takes the options that the
// public user guides of a version name, with the values that they allow, and fails
// on all others, as nsys does. No real nsys ran in these tests.

// The variables that rule it.
const (
	fakeVersion = "STANDIN_VERSION" // "2026.1.1"
	fakeLog     = "STANDIN_LOG"     // a line of JSON for each call: its arguments
	fakeRanges  = "STANDIN_RANGES"  // how often the command opens a capture range
	fakeExport  = "STANDIN_EXPORT"  // the SQLite file that an export is
	fakeNoHelp  = "STANDIN_NO_HELP" // an nsys that does not tell its options
	fakeDeaf    = "STANDIN_DEAF"    // ignores SIGINT and SIGTERM, as one that hangs
	fakeLate    = "STANDIN_LATE"    // leaves a .qdstrm, and no report
	fakeHalf    = "STANDIN_HALF"    // an export that breaks off; "hang": it hangs there, with a child
	fakeMute    = "STANDIN_MUTE"    // hangs, with a child, when it is asked for its version
)

// fakeOption is an option of nsys profile.
type fakeOption struct {
	short string
	since version
	value string // a regular expression
}

const (
	yesNo    = "true|false"
	anything = ".+"
)

// fakeOptions is transcribed from the user guides of 2020.5, 2022.1, 2023.1 and
// 2026.1, as far as Reel and its users need it.
var fakeOptions = map[string]fakeOption{
	"--trace":                  {"-t", version{2020, 1, 0}, `((cuda|cuda-hw|cuda-sw|nvtx|osrt|vulkan|cublas|cudnn|opengl|mpi|nccl|ucx|python-gil|none)(,|$))+`},
	"--output":                 {"-o", version{2020, 1, 0}, anything},
	"--sample":                 {"-s", version{2020, 1, 0}, "cpu|process-tree|system-wide|none"},
	"--cpuctxsw":               {"", version{2020, 3, 0}, "process-tree|system-wide|none"},
	"--cuda-flush-interval":    {"", version{2020, 3, 0}, "[0-9]+"},
	"--cuda-memory-usage":      {"", version{2020, 3, 0}, yesNo},
	"--kill":                   {"", version{2020, 1, 0}, "none|sigkill|sigterm|[0-9]+"},
	"--wait":                   {"", version{2020, 1, 0}, "primary|all"},
	"--force-overwrite":        {"-f", version{2020, 1, 0}, yesNo},
	"--export":                 {"", version{2020, 1, 0}, "((sqlite|hdf|text|json|none)(,|$))+"},
	"--stats":                  {"", version{2020, 1, 0}, yesNo},
	"--delay":                  {"-y", version{2020, 1, 0}, "[0-9.]+"},
	"--duration":               {"-d", version{2020, 1, 0}, "[0-9.]+"},
	"--show-output":            {"-w", version{2020, 1, 0}, yesNo},
	"--stop-on-exit":           {"-x", version{2020, 1, 0}, yesNo},
	"--trace-fork-before-exec": {"", version{2020, 3, 0}, yesNo},
	"--capture-range":          {"-c", version{2020, 1, 0}, "none|cudaProfilerApi|nvtx|hotkey"},
	"--capture-range-end":      {"", version{2021, 4, 0}, "none|stop|stop-shutdown|repeat(:[0-9]+)?|repeat-shutdown:[0-9]+"},
	"--cuda-graph-trace":       {"", version{2021, 5, 0}, "(graph|node)(:.*)?"},
	"--cuda-event-trace":       {"", version{2025, 1, 0}, "auto|true|false"},
	"--discard-environment":    {"", version{2025, 6, 0}, yesNo},
}

func standInNsys(args []string) int {
	v := readVersion("version " + os.Getenv(fakeVersion))
	if v == (version{}) {
		v = version{2026, 1, 1}
	}
	if f, err := os.OpenFile(os.Getenv(fakeLog), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644); err == nil {
		line, _ := json.Marshal(args)
		fmt.Fprintf(f, "%s\n", line)
		f.Close()
	}
	switch {
	case slices.Equal(args, []string{"--version"}) && os.Getenv(fakeMute) != "":
		return standInHang()
	case slices.Equal(args, []string{"--version"}):
		fmt.Printf("NVIDIA Nsight Systems version %d.%d.%d.104-261135748291v0\n", v.year, v.minor, v.micro)
		return 0
	case slices.Equal(args, []string{"profile", "--help"}):
		if os.Getenv(fakeNoHelp) != "" {
			return 1
		}
		for name, o := range fakeOptions {
			if !v.before(o.since) {
				fmt.Printf("\t%s=\n\n\t   Possible values are …\n", strings.TrimPrefix(o.short+", "+name, ", "))
			}
		}
		return 0
	case len(args) > 0 && args[0] == "export":
		return standInExport(args[1:])
	case len(args) > 0 && args[0] == "profile":
		return standInProfile(v, args[1:])
	}
	fmt.Fprintln(os.Stderr, "unknown command")
	return 1
}

// standInOptions reads options up to the application.
func standInOptions(v version, args []string) (set map[string]string, app []string, err error) {
	set = map[string]string{}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		for long, o := range fakeOptions {
			if rest, ok := strings.CutPrefix(name, o.short); ok && o.short != "" {
				if name = long; rest != "" {
					value, joined = rest, true
				}
			}
		}
		o, ok := fakeOptions[name]
		if !ok || v.before(o.since) {
			return nil, nil, fmt.Errorf("unrecognised option '%s'", name)
		}
		if !joined {
			if len(args) == 0 {
				return nil, nil, fmt.Errorf("the required argument for option '%s' is missing", name)
			}
			value, args = args[0], args[1:]
		}
		if !regexp.MustCompile("^(" + o.value + ")$").MatchString(value) {
			return nil, nil, fmt.Errorf("the argument ('%s') for option '%s' is invalid", value, name)
		}
		set[name] = value
	}
	return set, args, nil
}

func standInProfile(v version, args []string) int {
	set, app, err := standInOptions(v, args)
	if err != nil || len(app) == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if os.Getenv(fakeDeaf) != "" {
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
	} else {
		signal.Notify(make(chan os.Signal, 9), syscall.SIGINT) // the application's end is waited for
	}
	c := exec.Command(app[0], app[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), "NSYS_PROFILING_SESSION_ID=1")
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	end := set["--capture-range-end"]
	if (set["--capture-range"] == "cudaProfilerApi" || set["--capture-range"] == "nvtx") && (end == "" || end == "stop-shutdown") {
		_ = c.Process.Kill() // the default ends the application with its first range
	}
	_ = c.Wait()
	code, _ := ended(c.ProcessState)
	stem := strings.NewReplacer("%h", "node1", "%p", strconv.Itoa(c.Process.Pid), "%%", "%").Replace(set["--output"])
	if os.Getenv(fakeLate) != "" {
		_ = os.WriteFile(stem+".qdstrm", []byte("stream"), 0o644)
		return code
	}
	for _, name := range standInReports(set, stem) {
		if _, err := os.Lstat(name); err == nil && set["--force-overwrite"] != "true" {
			fmt.Fprintln(os.Stderr, "Failed to create '"+name+"': File exists.")
			return 1
		}
		if err := os.WriteFile(name, []byte("a report of "+app[0]), 0o644); err != nil {
			return 1
		}
		fmt.Println("Generated:", name)
	}
	return code
}

// standInReports names the reports that a run leaves.
func standInReports(set map[string]string, stem string) (names []string) {
	ranges, _ := strconv.Atoi(os.Getenv(fakeRanges))
	switch end := set["--capture-range-end"]; {
	case set["--capture-range"] == "" || set["--capture-range"] == "none":
		return []string{stem + ".nsys-rep"}
	case ranges == 0:
		fmt.Println("No reports were generated")
	case end == "stop":
		return []string{stem + ".nsys-rep"}
	case strings.HasPrefix(end, "repeat"):
		for i := range ranges {
			names = append(names, fmt.Sprintf("%s.%d.nsys-rep", stem, i+1))
		}
	}
	return names
}

// standInExport plays back an export.
func standInExport(args []string) int {
	var out string
	overwrite := false
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		name, value, _ := strings.Cut(args[0], "=")
		switch {
		case name == "--output":
			out = value
		case name == "--force-overwrite" && value == "true":
			overwrite = true
		case name != "--type" || value != "sqlite":
			fmt.Fprintf(os.Stderr, "unrecognised option '%s'\n", args[0])
			return 1
		}
		args = args[1:]
	}
	if len(args) != 1 || filepath.Ext(args[0]) != ".nsys-rep" {
		fmt.Fprintln(os.Stderr, "name one report")
		return 1
	}
	if out == "" {
		out = strings.TrimSuffix(args[0], ".nsys-rep") + ".sqlite"
	}
	if _, err := os.Lstat(out); err == nil && !overwrite {
		fmt.Fprintln(os.Stderr, "the file exists")
		return 1
	}
	if half := os.Getenv(fakeHalf); half != "" {
		_ = os.WriteFile(out, []byte("SQLite"), 0o644)
		if half == "hang" {
			return standInHang()
		}
		fmt.Fprintln(os.Stderr, "No space left on device")
		return 1
	}
	data, err := os.ReadFile(os.Getenv(fakeExport))
	if err != nil {
		fmt.Fprintln(os.Stderr, "Exporting failed.")
		return 1
	}
	if os.WriteFile(out, data, 0o644) != nil {
		return 1
	}
	return 0
}

// standInHang waits for a child that sleeps, whose pid it notes.
func standInHang() int {
	c := exec.Command(filepath.Join(filepath.Dir(os.Args[0]), "sleeper"))
	if c.Start() != nil || os.WriteFile(os.Getenv(fakeLog)+".pid", []byte(strconv.Itoa(c.Process.Pid)), 0o644) != nil {
		return 1
	}
	_ = c.Wait()
	return 1
}
