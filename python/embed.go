// Package python carries Reel's client for Python, so that reel profile can put it on
// a command's path with nothing installed. It knows nothing of what the client does.
package python

import (
	"embed"
	"io/fs"
)

//go:embed reel/*.py reel/py.typed sitecustomize.py
var files embed.FS

// Client returns the folder that goes onto PYTHONPATH: the package reel, and the
// sitecustomize that starts it and then the one that it hides.
func Client() fs.FS { return files }
