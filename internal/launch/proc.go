package launch

import "fmt"

// proc is a process of the command's tree.
type proc struct {
	pid, parent, group, session int
	name                        string
	start                       uint64 // ticks since boot: with the pid it means one process
}

func (p proc) String() string { return fmt.Sprintf("%d (%s)", p.pid, p.name) }

// death is how a process that was handed to Reel by its dead parent ended.
type death struct {
	pid    int
	signal string
}
