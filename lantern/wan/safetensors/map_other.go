//go:build !linux && !darwin

package safetensors

import (
	"errors"
	"os"
)

// mapFile says that files cannot be mapped here; they are read instead.
func mapFile(*os.File, int64) ([]byte, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}
