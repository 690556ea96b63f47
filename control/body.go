package control

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// startBody is the body of a start; a stop has the stages alone.
type startBody struct {
	stages []int
	prefix string
	delay  *int
	max    *int
}

// bodyField reads one key of a body.
type bodyField struct {
	name string
	set  func(any) bool
	want string
}

// prefixForm is a file name that can neither leave its folder nor hide.
var prefixForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

func (b *startBody) fields() []bodyField {
	number := func(to **int) func(any) bool {
		return func(v any) bool {
			n, ok := integer(v)
			*to = &n
			return ok && n >= 0 && n <= maxIterations
		}
	}
	want := fmt.Sprintf("want a whole number from 0 (unused) to %d", maxIterations)
	return []bodyField{
		{"stages", b.setStages, "want a list of stage numbers"},
		{"profile_prefix", func(v any) bool {
			s, ok := v.(string)
			b.prefix = s
			return ok && prefixForm.MatchString(s)
		}, "want up to 64 letters, digits, dots, underscores and hyphens, not a dot or hyphen first"},
		{"delay_iterations", number(&b.delay), want},
		{"max_iterations", number(&b.max), want},
	}
}

func (b *startBody) setStages(v any) bool {
	list, ok := v.([]any)
	for _, e := range list {
		n, whole := integer(e)
		ok = ok && whole && n >= 0
		b.stages = append(b.stages, n)
	}
	return ok && len(list) > 0
}

// check looks whether the stages are those of this process.
func (b *startBody) check(stage int) error {
	if b.stages != nil && !slices.Equal(slices.Compact(slices.Sorted(slices.Values(b.stages))), []int{stage}) {
		return &Fault{"stages", show(b.stages), fmt.Sprintf("this server has stage %d alone", stage)}
	}
	return nil
}

func (b *startBody) options() StartOptions {
	return StartOptions{Prefix: b.prefix, Delay: b.delay, Max: b.max}
}

// readBody fills fields from data, which may be empty. A null is "not given".
func readBody(data []byte, fields []bodyField) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	m, err := strictObject(data)
	if err != nil {
		return err
	}
	var faults []error
	names := []string{}
	for _, f := range fields {
		names = append(names, f.name)
		if v := m[f.name]; v != nil && !f.set(v) {
			faults = append(faults, &Fault{f.name, show(v), f.want})
		}
		delete(m, f.name)
	}
	for _, key := range sorted(m) {
		faults = append(faults, unknown(key, m[key], names))
	}
	return errors.Join(faults...)
}
