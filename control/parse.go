package control

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// outerKey may stand around the fields of a configuration.
const outerKey = "profiler_config"

// Parse reads a profiler_config from JSON, with or without the outer key
// "profiler_config". The error joins one Fault for each thing that is wrong.
func Parse(data []byte) (Config, error) {
	m, err := strictObject(data)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", outerKey, err)
	}
	return FromMap(m)
}

// ParseWith reads a profiler_config with a decoder of the caller's choice, one for
// YAML for instance, which fills a *map[string]any.
func ParseWith(data []byte, decode func([]byte, any) error) (Config, error) {
	var m map[string]any
	if err := decode(data, &m); err != nil {
		return Config{}, fmt.Errorf("%s: %w", outerKey, err)
	}
	return FromMap(m)
}

// Load reads a profiler_config given inline, as a JSON object, or as the path of a
// file: JSON when its name ends in .json, else what decode reads.
func Load(arg string, decode func([]byte, any) error) (Config, error) {
	if strings.HasPrefix(strings.TrimSpace(arg), "{") {
		return Parse([]byte(arg))
	}
	data, err := readConfig(arg)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", outerKey, err)
	}
	parse := func() (Config, error) { return ParseWith(data, decode) }
	if decode == nil || strings.HasSuffix(strings.ToLower(arg), ".json") {
		parse = func() (Config, error) { return Parse(data) }
	}
	c, err := parse()
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", arg, err)
	}
	return c, nil
}

// maxFile bounds a file of configuration.
const maxFile = 1 << 20

func readConfig(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: more than %d bytes", path, maxFile)
	}
	return data, err
}

// FromMap reads a decoded profiler_config, with or without the outer key.
func FromMap(m map[string]any) (Config, error) {
	if inner, ok := m[outerKey]; ok {
		var faults []error
		for _, key := range sorted(m) {
			if key != outerKey {
				faults = append(faults, &Fault{key, show(m[key]), "does not belong beside profiler_config; put it inside"})
			}
		}
		im, ok := inner.(map[string]any)
		if !ok && inner != nil {
			faults = append(faults, &Fault{outerKey, show(inner), "want a mapping of fields"})
		}
		if len(faults) > 0 {
			return Config{}, errors.Join(faults...)
		}
		m = im
	}
	var c Config
	var faults []error
	rest := map[string]any{}
	for k, v := range m {
		rest[k] = v
	}
	bad := map[string]bool{}
	for _, f := range fields {
		if fault := f.set(&c, rest[f.name]); fault != nil {
			faults = append(faults, fault)
			bad[f.name] = true
		}
		delete(rest, f.name)
	}
	for _, key := range sorted(rest) {
		faults = append(faults, unknown(key, rest[key], fieldNames()))
	}
	faults = append(faults, c.check(bad)...)
	if len(faults) > 0 {
		return Config{}, errors.Join(faults...)
	}
	return c, nil
}

// check looks at fields together, leaving out those of which a fault is known, and
// makes the folder absolute.
func (c *Config) check(bad map[string]bool) (faults []error) {
	profiler, dir := "profiler", "torch_profiler_dir"
	if bad[profiler] {
		return nil
	}
	switch c.Profiler {
	case "", Torch, CUDA:
	default:
		return append(faults, &Fault{profiler, show(c.Profiler), "want torch or cuda, or leave it out for none"})
	}
	if bad[dir] {
		return nil
	}
	switch {
	case c.Dir != "" && c.Profiler != Torch:
		now := "not set"
		if c.Profiler != "" {
			now = c.Profiler
		}
		return append(faults, &Fault{dir, show(c.Dir), "is only applicable when profiler is set to 'torch'; profiler is " + now})
	case c.Dir == "" && c.Profiler == Torch:
		return append(faults, &Fault{dir, "", "must be set when profiler is 'torch'"})
	}
	if c.Dir != "" {
		path, err := localDir(c.Dir)
		if err != nil {
			return append(faults, &Fault{dir, show(c.Dir), err.Error()})
		}
		c.Dir = path
	}
	return nil
}
