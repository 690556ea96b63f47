package synth

// activities writes device work, each with the end of its flow.
func (e *encoder) activities(acts []activity) {
	for i := range acts {
		a := &acts[i]
		switch {
		case a.work.kind == memcpy:
			e.copied("gpu_memcpy", e.forms.memcpy, a)
		case a.work.kind == memset:
			e.copied("gpu_memset", e.forms.memset, a)
		default:
			e.kernel(a)
		}
		e.event("", e.forms.flowEnd)
		e.int(a.correlation).int(e.device()).int(e.stream(a.stream)).at(a.start)
	}
}

// device is the index that GPU events have as their pid.
func (e *encoder) device() int64 { return int64(e.opt.Rank % 8) }

// stream is the number that the vendor's runtime gives.
func (e *encoder) stream(i int) int64 {
	if e.opt.Vendor == ROCm {
		return int64(i)
	}
	return [...]int64{7, 23}[i]
}

// on fills the holes that all device work has up to its correlation.
func (e *encoder) on(a *activity) *encoder {
	e.str(a.work.name).int(e.device()).int(e.stream(a.stream)).at(a.start).micros(a.dur)
	if a.external != 0 {
		e.int(a.external)
	}
	return e.int(e.device()).int(e.stream(a.stream)).int(a.correlation)
}

func (e *encoder) copied(category string, form template, a *activity) {
	e.event(category, form)
	e.on(a)
	w := a.work
	if e.opt.Vendor == ROCm {
		if w.kind == memset {
			return
		}
		e.str(w.copied)
	}
	e.int(w.bytes).float(float64(w.bytes)/float64(a.dur), -1)
}

func (e *encoder) kernel(a *activity) {
	w, form := a.work, e.forms.kernel
	loose := a.external == 0
	if loose {
		form = e.forms.kernelLoose
	} else if w.comm {
		form = e.forms.collective
	}
	e.event("kernel", form)
	e.on(a)
	grid := func() *encoder {
		return e.int(int64(w.grid[0])).int(int64(w.grid[1])).int(int64(w.grid[2])).int(int64(w.block))
	}
	if e.opt.Vendor == CUDA {
		blocks := float64(w.grid[0]*w.grid[1]*w.grid[2]) / 132
		warps := blocks * float64(w.block) / 32
		e.int(int64(w.regs)).int(int64(w.smem)).float(blocks, 6).float(warps, 6)
		grid().int(min(100, int64(warps*100/64)))
	} else if !loose {
		grid()
	}
	switch {
	case loose && e.opt.Vendor == CUDA:
		e.int(int64(a.node))
	case !loose && w.comm:
		e.int(w.bytes / 2).int(w.bytes / 2).int(int64(max(e.opt.WorldSize, 1))).int(a.correlation - 41_000)
	}
}
