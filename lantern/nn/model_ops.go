package nn

import (
	"reel/event"
	"reel/lantern/device"
)

// fillGrain is how many values of a file are worth another core.
const fillGrain = 1 << 16

// Fill writes the values that read gives over t, as a copy to the device of so many
// bytes: weights from a file, converted on the way, so that memory is touched once.
// read is called on the device's goroutines, for parts of t, when the stream gets
// there; what it returns is the device's error at the next synchronisation.
func (o *Ops) Fill(t Tensor, name string, bytes int64, read func(dst []float32, from int) error) {
	if !o.ready("fill", t) {
		return
	}
	defer o.op("fill", t).End()
	dst := t.data()
	o.launch("memcpy HtoD "+name, device.Work{Class: event.Copy, Bytes: bytes}, func(k *device.Kernel) {
		k.Ranges(len(dst), fillGrain, func(from, to int, _ *device.Lane) {
			if err := read(dst[from:to], from); err != nil {
				panic(err)
			}
		})
	})
}
