package attach

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// The variables of the target that matter here.
const (
	EnvUse    = "KINETO_USE_DAEMON"         // set: the process asks
	EnvDir    = "KINETO_IPC_SOCKET_DIR"     // the folder of the sockets; abstract ones without it
	EnvTraces = "KINETO_ONDEMAND_TRACE_DIR" // where it may write, beside /tmp
	EnvConfig = "KINETO_CONFIG"             // the file of its base configuration
)

// environment reads the variables of a block as /proc has it.
func environment(data []byte) map[string]string {
	out := map[string]string{}
	for _, v := range bytes.Split(data, []byte{0}) {
		if k, v, ok := strings.Cut(string(v), "="); ok {
			out[k] = v
		}
	}
	return out
}

// Folder is a private folder for the sockets and traces of a launched command.
type Folder struct{ Dir string }

// NewFolder makes one under /tmp, where newer versions of PyTorch may write, with a
// base configuration that has processes ask every second.
func NewFolder() (*Folder, error) {
	dir, err := os.MkdirTemp("/tmp", "reel-attach-")
	if err != nil {
		return nil, err
	}
	f := &Folder{dir}
	err = os.WriteFile(filepath.Join(dir, "libkineto.conf"), []byte("ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n"), 0o600)
	if err == nil {
		err = os.Mkdir(f.Traces(), 0o700)
	}
	return f, err
}

// Traces is where processes write.
func (f *Folder) Traces() string { return filepath.Join(f.Dir, "traces") }

// Remove removes the folder.
func (f *Folder) Remove() error { return os.RemoveAll(f.Dir) }

// Env is what the command's environment needs.
func (f *Folder) Env() []string {
	return []string{EnvUse + "=1", EnvDir + "=" + f.Dir, EnvTraces + "=" + f.Traces(), EnvConfig + "=" + filepath.Join(f.Dir, "libkineto.conf")}
}
