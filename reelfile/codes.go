package reelfile

import "reel/event"

// Classes and roles have numbers of their own in the file, so that those of
// package event may change.
const codeNoClass = 255

var classCode = [32]uint8{event.NoClass: codeNoClass, event.Op: 1, event.Annotation: 2, event.Runtime: 3, event.Driver: 4,
	event.Python: 5, event.Overhead: 6, event.OtherRange: 7, event.Kernel: 16, event.Copy: 17, event.Set: 18,
	event.GPUAnnotation: 19, event.Sync: 20, event.OtherActivity: 21, event.Unsound: 22,
	event.HostMemory: 32, event.DeviceMemory: 33, event.OtherMark: 34}

var roleCode = [16]uint8{event.Request: 1, event.Loop: 2, event.Step: 3, event.Stage: 4, event.Forward: 5,
	event.Scheduler: 6, event.Frame: 7, event.WarmUp: 8}

var classOf = inverse(classCode[:])

var roleOf = inverse(roleCode[:])

// inverse turns codes back; what is unknown becomes 0.
func inverse(codes []uint8) (out [256]uint8) {
	for i, c := range codes {
		if c != 0 {
			out[c] = uint8(i)
		}
	}
	return out
}

// kinds gives the event kind of a record and the class that code 0 stands for.
var kinds = [16]struct {
	kind  event.Kind
	class event.Class
}{Range: {event.Range, event.Annotation}, Async: {event.Range, event.Annotation}, Activity: {event.Activity, event.Kernel},
	Mark: {event.Mark, event.OtherMark}, Counter: {event.Counter, event.NoClass}, flow: {event.Flow, event.NoClass}, meta: {event.Meta, event.NoClass}}

var placeCode = [...]uint32{event.NoPlace: 0, event.Thread: 1, event.Stream: 2, event.Logical: 3}

var placeOf = [...]event.Place{0: event.NoPlace, 1: event.Thread, 2: event.Stream, 3: event.Logical}
