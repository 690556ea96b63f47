// Package dl opens shared libraries at run time and calls C functions in them,
// without cgo. It knows no library by name.
//
// A program that imports it on Linux is linked with the C library when it starts,
// and is no static file any more: whoever imports it chooses that.
package dl

import "errors"

// ErrUnsupported is returned by Open where libraries cannot be opened.
var ErrUnsupported = errors.New("shared libraries are opened on Linux alone, on amd64 and arm64")

// Func is a C function. 0 is none.
type Func uintptr

// Library is a shared library that is open. It stays so until the process ends:
// what it registered would not survive its closing.
type Library struct {
	// Path is the name under which it was opened.
	Path   string
	handle uintptr
}

// OpenFirst opens the first of the paths that can be opened. The error joins those
// of all of them.
func OpenFirst(paths ...string) (*Library, error) {
	var all []error
	for _, p := range paths {
		l, err := Open(p)
		if err == nil {
			return l, nil
		}
		all = append(all, err)
		if errors.Is(err, ErrUnsupported) {
			break
		}
	}
	return nil, errors.Join(all...)
}
