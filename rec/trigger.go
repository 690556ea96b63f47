package rec

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"reel/internal/rundir"
)

// SaveOn saves a copy of the recording beside it each time one of the signals comes:
// how a flight recorder that runs all the time gives what led to something. The first
// copy of run.reel is run-saved-1.reel. told, which may be nil, hears of each copy or
// of why there is none. The function that it returns ends it.
func (r *Recorder) SaveOn(told func(path string, err error), signals ...os.Signal) (stop func()) {
	ch, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(ch, signals...)
	go func() {
		defer close(done)
		for range ch {
			path, err := r.saveBeside()
			if told != nil {
				told(path, err)
			}
		}
	}()
	return func() {
		signal.Stop(ch)
		close(ch)
		<-done
	}
}

// saveBeside saves a copy beside the recording, under the first name that is free.
func (r *Recorder) saveBeside() (string, error) {
	s := r.on()
	if s == nil {
		return "", ErrNotRecording
	}
	if s.w.Path() == "" {
		return "", errors.New("rec: the recording is kept in memory; save it with Save")
	}
	stem, suffix := split(s.w.Path())
	for k := 1; k < maxSame; k++ {
		path := fmt.Sprintf("%s-saved-%d%s", stem, k, suffix)
		err := s.w.Save(path)
		if !errors.Is(err, os.ErrExist) {
			return path, err
		}
	}
	return "", fmt.Errorf("rec: %s: %d copies lie there", s.w.Path(), maxSame)
}

// trigger has the signal that the environment names save the recording.
func (e *environment) trigger(r *Recorder) (stop func()) {
	name := e.get(EnvSaveOn)
	if name == "" || r == nil {
		return nil
	}
	sig := triggers[strings.TrimPrefix(strings.ToUpper(name), "SIG")]
	if sig == nil {
		e.fail(fmt.Errorf("%s=%q: want USR1, USR2 or HUP, on a system that has them", EnvSaveOn, name))
		return nil
	}
	n := e.note
	return r.SaveOn(func(path string, err error) {
		if err != nil {
			e.opt.Log.Error("profiler: the recording was not saved", "err", err)
			return
		}
		n.add(path, rundir.Recording, rundir.Derived)
		e.opt.Log.Info("profiler: the recording so far was saved", "path", path)
	}, sig)
}
