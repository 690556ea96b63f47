//go:build !linux

package reelfile

import "errors"

var errNoMount = errors.New("this system mounts no tmpfs")

func mountTmpfs(string, int) error { return errNoMount }

func remountReadOnly(string) error { return errNoMount }

func unmount(string) {}
