package analyze

import "reel/timeline"

// ClassOf returns a function that says what sort of work an activity of the timeline
// does. It keeps what it learnt of each name, and is not for concurrent use.
func ClassOf(tl *timeline.Timeline, roles *Roles) func(activity int) KernelClass {
	k := newKernels(tl, roles)
	return func(activity int) KernelClass { return k.of(int32(activity)).class }
}
