package analyze

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// check says why no file can have given the record.
func (r *record) check() error {
	s := &r.Summary
	var f impossible
	f.repair(reflect.ValueOf(&r.Source), "source")
	f.repair(reflect.ValueOf(s), "summary")
	f.repair(reflect.ValueOf(r.Diagnosis), "diagnosis")
	f.repair(reflect.ValueOf(r.Collectives), "collectives")
	switch {
	case f.n > 0:
		return fmt.Errorf("%s is negative", f.first)
	case r.Source.Path != "":
		return errors.New("source has a path; it belongs into names")
	case r.Source.MissingPercent > 100:
		return fmt.Errorf("source.missing_percent is %v", r.Source.MissingPercent)
	case r.Rank != nil && *r.Rank < 0 || r.World != nil && *r.World <= 0:
		return errors.New("rank or world_size is negative")
	case r.Rank == nil && s.Rank != 0 || r.Rank != nil && *r.Rank != s.Rank:
		return fmt.Errorf("summary.rank is %d, but the record's is not", s.Rank)
	case s.StartUnix != nil && (*s.StartUnix > maxUnix || *s.StartUnix < -maxUnix):
		return errors.New("summary.start_unix_ns is beyond all times")
	case s.Timing != HostTimed && s.Timing != SyncedTimed && s.Timing != DeviceTimed && s.Timing != EventTimed:
		return fmt.Errorf("summary.timing is %.60q", s.Timing)
	}
	return errors.Join(r.checkNames(), r.checkIndices(), r.checkWarnings(), r.checkDiagnosis(), r.Collectives.check())
}

// checkDiagnosis makes sure that findings have a name and a severity.
func (r *record) checkDiagnosis() error {
	if r.Diagnosis == nil {
		return nil
	}
	for i, f := range r.Diagnosis.Findings {
		if f.ID == "" || f.Severity.level() < 0 {
			return fmt.Errorf("diagnosis.findings[%d] is %.60q of severity %.60q", i, f.ID, f.Severity)
		}
		if f.Where != nil && f.Where.Rank != nil {
			return fmt.Errorf("diagnosis.findings[%d] names a rank; the record does", i)
		}
	}
	return nil
}

func (r *record) checkNames() error {
	for i, n := range r.Names {
		if n == "" || baseName(n) != n || i > 0 && r.Names[i-1] >= n {
			return fmt.Errorf("names[%d] is %.60q: want file names without folder, ascending", i, n)
		}
	}
	return nil
}

// checkIndices makes sure that stages and steps belong to requests.
func (r *record) checkIndices() error {
	s := &r.Summary
	if s.Requests == nil || s.Stages == nil || s.Steps == nil {
		return errors.New("summary lacks requests, stages or steps")
	}
	n := len(s.Requests)
	if i := slices.IndexFunc(s.Stages, func(x StageInfo) bool { return x.Request >= n }); i >= 0 {
		return fmt.Errorf("summary.stages[%d] is of request %d, but there are %d", i, s.Stages[i].Request, n)
	}
	if i := slices.IndexFunc(s.Steps, func(x StepInfo) bool { return x.Request >= n }); i >= 0 {
		return fmt.Errorf("summary.steps[%d] is of request %d, but there are %d", i, s.Steps[i].Request, n)
	}
	return nil
}

func (r *record) checkWarnings() error {
	for i, w := range r.Warnings {
		if w.Count <= 0 || w.Event != nil && *w.Event < 0 {
			return fmt.Errorf("warnings[%d]: count %d, want more than 0", i, w.Count)
		}
	}
	return nil
}
