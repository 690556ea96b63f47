//go:build !cuda

package cuda

func open(func(string) string) (runtimeLibrary, error) { return runtimeLibrary{}, ErrTag }
