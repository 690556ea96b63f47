//go:build !linux

package launch

const canFollow = false

func adopt(bool) {}

func descendants(map[int]bool) []proc { return nil }

func reap(map[int]bool) []death { return nil }

func parentNamed(string) bool { return false }
