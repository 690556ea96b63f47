package launch

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// canFollow says that whole trees of processes can be followed.
const canFollow = true

// adopt makes this process the parent of whatever process of the tree loses its
// own, so that it stays known and can be waited for.
func adopt(on bool) {
	const setChildSubreaper = 36
	v := uintptr(0)
	if on {
		v = 1
	}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, setChildSubreaper, v, 0, 0, 0, 0) // an old kernel refuses: orphans are then not followed
}

// readProc reads /proc/PID/stat; the name in it may hold anything.
func readProc(pid int) (p proc, zombie, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return p, false, false
	}
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return p, false, false
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 20 {
		return p, false, false
	}
	p = proc{pid: pid, name: string(b[open+1 : end])}
	p.parent, _ = strconv.Atoi(f[1])
	p.group, _ = strconv.Atoi(f[2])
	p.session, _ = strconv.Atoi(f[3])
	p.start, _ = strconv.ParseUint(f[19], 10, 64)
	return p, f[0] == "Z" || f[0] == "X", true
}

// descendants lists the living processes below this one, without those of except
// and what is below them.
func descendants(except map[int]bool) []proc {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	below := map[int][]proc{}
	dead := map[int]bool{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, zombie, ok := readProc(pid); ok {
			below[p.parent] = append(below[p.parent], p)
			dead[pid] = zombie
		}
	}
	var out []proc
	queue := []int{os.Getpid()}
	for seen := map[int]bool{}; len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		for _, p := range below[queue[0]] {
			if except[p.pid] {
				continue
			}
			queue = append(queue, p.pid)
			if !dead[p.pid] {
				out = append(out, p)
			}
		}
	}
	slices.SortFunc(out, func(a, b proc) int { return a.pid - b.pid })
	return out
}

// reap waits for processes that were handed to this one. It stops at one of the
// others when that has ended: somebody else waits for it.
func reap(others map[int]bool) (deaths []death) {
	for {
		const all, flags = 0, syscall.WEXITED | syscall.WNOHANG | syscall.WNOWAIT
		var info [128]byte
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, all, 0, uintptr(unsafe.Pointer(&info)), flags, 0, 0)
		pid := int(*(*int32)(unsafe.Pointer(&info[4+unsafe.Sizeof(uintptr(0))+4])))
		if errno != 0 || pid == 0 || others[pid] {
			return deaths
		}
		var st syscall.WaitStatus
		if got, err := syscall.Wait4(pid, &st, syscall.WNOHANG, nil); err != nil || got != pid {
			return deaths
		}
		if st.Signaled() {
			deaths = append(deaths, death{pid, signalName(st.Signal())})
		}
	}
}

// parentNamed reports whether a process above this one has that name.
func parentNamed(name string) bool {
	for pid, i := os.Getppid(), 0; pid > 1 && i < 64; i++ {
		p, _, ok := readProc(pid)
		if !ok {
			return false
		}
		if p.name == name {
			return true
		}
		pid = p.parent
	}
	return false
}
