//go:build !linux || !(amd64 || arm64) || android

package dl

// Open returns ErrUnsupported.
func Open(string) (*Library, error) { return nil, ErrUnsupported }

// Func returns 0.
func (l *Library) Func(string) Func { return 0 }

// Call returns 0.
func (f Func) Call(...uintptr) uintptr { return 0 }

// Callback returns 0.
func Callback(any) Func { return 0 }

// Text returns "".
func Text(uintptr) string { return "" }

// Memory returns ErrUnsupported.
func Memory(int) ([]uintptr, error) { return nil, ErrUnsupported }
