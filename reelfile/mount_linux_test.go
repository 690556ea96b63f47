package reelfile

import (
	"fmt"
	"syscall"
)

func mountTmpfs(dir string, bytes int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprint("size=", bytes))
}

func remountReadOnly(dir string) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
}

func unmount(dir string) { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }
