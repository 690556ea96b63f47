// Package device is an asynchronous device on the cores of the CPU: streams with a
// queue and a worker each, kernels that are launched and run later, events,
// synchronisation, a caching allocator.
//
//	d := device.New(device.Options{})
//	defer d.Close()
//	s := d.NewStream("compute")
//	s.Launch(ctx, "scale", device.Work{FLOPs: n, Bytes: 8 * n}, func(k *device.Kernel) { … })
//	err := s.Synchronize(ctx)
//
// It behaves as a GPU does towards its host: Launch returns before the work is done
// (and waits only while the queue is full), work of a stream runs in order, streams
// are ordered by events alone, memory that is freed serves the next allocation of
// its stream at once, and what goes wrong in a kernel comes to light at the next
// synchronisation. With a Profile, launches, activities and allocations go to a
// recording. With a CostModel, times are modelled and the results are real.
//
// It knows no operators and no tensors: package nn has them.
package device
