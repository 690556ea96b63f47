package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// Schema names the form of run.json.
const Schema = "reel.run/1"

// RunFile is the name of the note that every run folder holds.
const RunFile = "run.json"

// partFolder holds each rank's own note, of which run.json is made. Its name
// begins with a dot, so that no reader takes it for part of the run.
const partFolder = ".ranks"

// Rank is what one process of the run says about itself.
type Rank struct {
	Rank        int               `json:"rank"`
	PID         int               `json:"pid"`
	Host        string            `json:"host,omitempty"`
	Device      string            `json:"device,omitempty"`
	State       string            `json:"state,omitempty"` // of the session; "recording" in a run that was killed
	Started     time.Time         `json:"started,omitzero"`
	Ended       time.Time         `json:"ended,omitzero"`
	Environment map[string]string `json:"environment,omitempty"` // a fingerprint, without secrets
	OverheadNS  int64             `json:"overhead_ns,omitempty"` // what the collectors say that they cost
	Dropped     map[string]int64  `json:"dropped,omitempty"`     // events lost, by collector
	Coverage    []Coverage        `json:"coverage,omitempty"`
	Faults      []string          `json:"faults,omitempty"`
	Files       []Artifact        `json:"files,omitempty"`
}

// Info is what all ranks of a run agree on.
type Info struct {
	App      string            `json:"app"`
	Command  []string          `json:"command,omitempty"` // without secrets
	Versions map[string]string `json:"versions"`
	World    int               `json:"world_size,omitempty"` // number of ranks, when known
	Config   any               `json:"config,omitempty"`
	Window   string            `json:"window,omitempty"`
}

// Run is run.json.
type Run struct {
	Schema string `json:"schema"`
	Info
	Launch   *Launch  `json:"launch,omitempty"` // of a command that was launched under the profiler
	Ranks    []Rank   `json:"ranks"`
	Coverage []string `json:"coverage,omitempty"` // what was asked for and seen, in words
	Warnings []string `json:"warnings,omitempty"`
}

// part is what a rank writes, or the launcher.
type part struct {
	Info   Info    `json:"info"`
	Rank   Rank    `json:"rank"`
	Launch *Launch `json:"launch,omitempty"`
}

// Describe fills what a process knows of itself without being told: its command
// line and versions.
func Describe(app string) Info {
	info := Info{App: app, Command: HideArgs(os.Args), Versions: map[string]string{"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}}
	if b, ok := debug.ReadBuildInfo(); ok {
		if b.Main.Path != "" && b.Main.Version != "" {
			info.Versions[b.Main.Path] = b.Main.Version
		}
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" {
				info.Versions["revision"] = s.Value
			}
		}
	}
	return info
}

// Write notes what a rank says and makes run.json anew from what all ranks have
// said so far. Ranks may write at the same time: whoever is last to write has
// seen what the others wrote.
func (f *Folder) Write(info Info, rank Rank) error {
	return f.note(fmt.Sprintf("rank%d-%d.json", rank.Rank, rank.PID), part{Info: info, Rank: rank})
}

func (f *Folder) note(name string, p part) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write %s: %w", RunFile, err)
	}
	if err := f.root.Mkdir(partFolder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write %s: %w", RunFile, err)
	}
	if err := f.replace(partFolder+"/"+name, data); err != nil {
		return fmt.Errorf("write %s: %w", RunFile, err)
	}
	parts, sum, err := f.parts()
	for err == nil {
		if err = f.replace(RunFile, join(parts)); err != nil {
			break
		}
		before := sum
		if parts, sum, err = f.parts(); sum == before {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", RunFile, err)
	}
	return nil
}

// Ranks returns what the ranks have said so far, whether or not run.json has it
// yet: where there is a launcher, ranks leave run.json to it.
func (f *Folder) Ranks() (ranks []Rank, err error) {
	parts, _, err := f.parts()
	for _, p := range parts {
		if p.Launch == nil {
			ranks = append(ranks, p.Rank)
		}
	}
	return ranks, err
}

// parts reads what the ranks wrote; sum changes when any of it does.
func (f *Folder) parts() (parts []part, sum string, err error) {
	entries, err := fs.ReadDir(f.root.FS(), partFolder)
	if err != nil {
		return nil, "", err
	}
	var all strings.Builder
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		data, err := f.root.ReadFile(partFolder + "/" + e.Name())
		if err != nil {
			return nil, "", err
		}
		var p part
		if err := json.Unmarshal(data, &p); err != nil {
			return nil, "", fmt.Errorf("%s: %w", e.Name(), err)
		}
		parts = append(parts, p)
		all.Write(data)
	}
	slices.SortStableFunc(parts, func(a, b part) int {
		switch { // launchers first
		case a.Launch != nil && b.Launch != nil:
			return 0
		case a.Launch != nil:
			return -1
		case b.Launch != nil:
			return 1
		}
		if a.Rank.Rank != b.Rank.Rank {
			return a.Rank.Rank - b.Rank.Rank
		}
		return a.Rank.PID - b.Rank.PID
	})
	return parts, all.String(), nil
}

func join(parts []part) []byte {
	run := Run{Schema: Schema, Ranks: []Rank{}}
	var cover []RankCoverage
	for i, p := range parts {
		if i == 0 {
			run.Info = p.Info
		}
		run.World = max(run.World, p.Info.World)
		if p.Launch != nil {
			if run.Launch == nil {
				run.Launch = p.Launch
			}
			run.Warnings = append(run.Warnings, p.Launch.Warnings...)
			continue
		}
		run.Ranks = append(run.Ranks, p.Rank)
		if p.Rank.State != "recording" {
			cover = append(cover, RankCoverage{p.Rank.Rank, p.Rank.Coverage})
		}
		for _, fault := range p.Rank.Faults {
			run.Warnings = append(run.Warnings, fmt.Sprintf("rank %d: %s", p.Rank.Rank, fault))
		}
	}
	lines, warnings := CoverageText(cover, run.World)
	run.Coverage, run.Warnings = lines, append(run.Warnings, warnings...)
	data, err := json.MarshalIndent(run, "", "  ")
	if err != nil { // config is the caller's; the rest always encodes
		run.Config = nil
		data, _ = json.MarshalIndent(run, "", "  ")
	}
	return append(data, '\n')
}

// Read reads the run.json of the folder path.
func Read(path string) (Run, error) {
	var run Run
	data, err := os.ReadFile(path + string(os.PathSeparator) + RunFile)
	if err != nil {
		return run, fmt.Errorf("read run: %w", err)
	}
	if err := json.Unmarshal(data, &run); err != nil {
		return run, fmt.Errorf("read run %s: %w", path, err)
	}
	if run.Schema != Schema {
		return run, fmt.Errorf("read run %s: schema %q, want %s", path, run.Schema, Schema)
	}
	return run, nil
}
