//go:build unix

package control

import (
	"fmt"
	"os"
	"syscall"
)

// owned refuses what is no folder of this user's own, a symbolic link among it.
func owned(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: want a folder, and no symbolic link to one", dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s: belongs to another user, who could answer in place of your processes", dir)
	}
	return nil
}
