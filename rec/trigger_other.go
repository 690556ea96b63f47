//go:build !unix

package rec

import "os"

// triggers are the signals that can save a recording: none here.
var triggers map[string]os.Signal
