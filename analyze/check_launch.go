package analyze

import (
	"cmp"
	"slices"
	"strings"

	"reel/event"
	"reel/timeline"
)

// launchWords tell, anywhere in the name of a runtime or driver call, that it
// starts work on a device: cudaLaunchKernel, hipExtModuleLaunchKernel,
// cuLaunchKernelEx, hipGraphLaunch, cudaMemcpyAsync, urEnqueueUSMMemcpy, MTIA's
// "runFunction - job_prep_and_submit_for_execution".
var launchWords = []string{"launch", "memcpy", "memset", "usmfill", "submit_for_execution"}

// noLaunchWords tell that it does not after all: cudaLaunchHostFunc,
// cudaGraphAddMemcpyNode, cudaGraphExecMemsetNodeSetParams, …
var noLaunchWords = []string{"hostfunc", "graphadd", "graphexec", "params", "attribute", "configuration"}

// isLaunchCall tells by the name of a runtime or driver call.
func isLaunchCall(name string) bool {
	name = strings.ToLower(name)
	in := func(words []string) bool {
		for _, w := range words {
			if strings.Contains(name, w) {
				return true
			}
		}
		return false
	}
	return in(launchWords) && !in(noLaunchWords)
}

// launches finds the launches of a timeline: calls whose name says so, outside
// any other.
type launches struct {
	tl    *timeline.Timeline
	known []int8 // per name: 0 not asked, 1 a launch's, -1 not
}

func (l *launches) is(r timeline.RangeID) bool {
	if c := l.tl.Ranges.Class[r]; c != event.Runtime && c != event.Driver {
		return false
	}
	k := &l.known[l.tl.Ranges.Name[r]]
	if *k == 0 {
		if *k = -1; isLaunchCall(l.tl.Name(l.tl.Ranges.Name[r])) {
			*k = 1
		}
	}
	return *k > 0
}

// outermost returns the launch that r is, or lies in; NoRange when there is none.
func (l *launches) outermost(r timeline.RangeID) timeline.RangeID {
	found := timeline.NoRange
	for ; r != timeline.NoRange; r = l.tl.Ranges.Parent[r] {
		if c := l.tl.Ranges.Class[r]; c != event.Runtime && c != event.Driver {
			break
		}
		if l.is(r) {
			found = r
		}
	}
	return found
}

// maxNames bounds how many names a LaunchCheck lists.
const maxNames = 8

// checkLaunches counts launches, and those that no activity names as its cause.
func checkLaunches(tl *timeline.Timeline) (c LaunchCheck) {
	l := launches{tl, make([]int8, tl.Names())}
	used := make([]uint64, tl.Ranges.Len()/64+1)
	for _, r := range tl.Activities.Launch {
		if r = l.outermost(r); r != timeline.NoRange {
			used[r/64] |= 1 << (r % 64)
		}
	}
	without := map[string]int{}
	for i := range tl.Ranges.Start {
		r := timeline.RangeID(i)
		if !l.is(r) || l.outermost(r) != r {
			continue
		}
		c.Calls++
		if used[r/64]&(1<<(r%64)) == 0 {
			c.WithoutActivity++
			without[tl.Name(tl.Ranges.Name[r])]++
		}
	}
	for name, n := range without {
		c.Names = append(c.Names, NameCount{name, n})
	}
	slices.SortFunc(c.Names, func(a, b NameCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	c.Names = c.Names[:min(len(c.Names), maxNames)]
	return c
}
