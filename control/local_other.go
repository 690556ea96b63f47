//go:build !unix

package control

import "errors"

// owned refuses: owners of folders are not known here.
func owned(string) error {
	return errors.New("processes are not found by pid on this system; use an address")
}
