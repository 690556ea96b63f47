package analyze

import (
	"cmp"
	"slices"

	"reel/event"
	"reel/timeline"
)

// opsKernel is the device time that an activity adds to its owner.
type opsKernel struct {
	owner timeline.RangeID
	dur   int64
}

// gatherKernels sorts the device times by owner. Annotations on the device cover
// work that is counted already.
func (o *opsTable) gatherKernels() {
	a := &o.tl.Activities
	anyOp := slices.Contains(o.tl.Ranges.Class, event.Op)
	for i, c := range a.Class {
		if c == event.Unsound {
			continue
		}
		o.hasDevice = true
		owner := a.Owner[i]
		if anyOp {
			owner = o.operator(owner)
		}
		if c.IsWork() {
			o.work++
			if owner == timeline.NoRange {
				o.unattributed++
			}
		}
		if c != event.GPUAnnotation && owner != timeline.NoRange {
			o.kernels = append(o.kernels, opsKernel{owner, a.Dur[i]})
		}
	}
	slices.SortStableFunc(o.kernels, func(x, y opsKernel) int { return cmp.Compare(x.owner, y.owner) })
}

// operator returns the innermost operator from r outwards. PyTorch links device
// work to operators and never to the program's annotations, which it numbers apart.
func (o *opsTable) operator(r timeline.RangeID) timeline.RangeID {
	for r != timeline.NoRange && o.tl.Ranges.Class[r] != event.Op {
		r = o.tl.Ranges.Parent[r]
	}
	return r
}

// kernelTime sums what range r owns. It is asked for ascending ranges.
func (o *opsTable) kernelTime(r timeline.RangeID) (sum int64) {
	for len(o.kernels) > 0 && o.kernels[0].owner <= r {
		if o.kernels[0].owner == r {
			sum += o.kernels[0].dur
		}
		o.kernels = o.kernels[1:]
	}
	return sum
}

// deviceRows makes the rows of the device's activities.
func (o *opsTable) deviceRows() {
	a := &o.tl.Activities
	for i, c := range a.Class {
		name := o.names.row(a.Name[i], c)
		if c == event.Unsound || name == opsDropped {
			continue
		}
		k := opsKey{name: name, kind: opsDevice}
		if c == event.GPUAnnotation {
			k.kind = opsDeviceAnnotation
		}
		if o.opt.By == OpsByStack {
			k.stack = o.stacks.around(opsCause(a, i))
		}
		row := o.row(k)
		row.count++
		row.selfDevice += a.Dur[i]
		row.device += a.Dur[i]
	}
}

// opsCause returns the range whose calls are behind activity i.
func opsCause(a *timeline.Activities, i int) timeline.RangeID {
	if a.Launch[i] != timeline.NoRange {
		return a.Launch[i]
	}
	return a.Owner[i]
}
