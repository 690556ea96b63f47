package synth

// annotationSpan is an annotation as the device saw it.
type annotationSpan struct {
	name       string
	start, end int64
	id         int64
}

// operators writes the request's annotations and operators.
func (e *encoder) operators(s *sim) {
	for i := range s.ops {
		o := &s.ops[i]
		if o.op == nil && o.name != "Torch-Compiled Region: 0/0" {
			e.event("user_annotation", e.forms.annotation)
			e.str(o.name).place(o.start, o.end-o.start).int(o.id).int(e.nextIndex())
			continue
		}
		name, args := o.name, ""
		if o.op != nil {
			name, args = o.op.name, o.op.args
		}
		e.event("cpu_op", e.forms.op)
		e.str(name).place(o.start, o.end-o.start).int(o.id).str(args).int(e.nextIndex())
	}
}

// place fills the holes of a host event's thread and time.
func (e *encoder) place(start, dur int64) *encoder {
	return e.int(e.pid).int(e.tid).at(start).micros(dur)
}

func (e *encoder) nextIndex() int64 {
	e.index++
	return int64(e.index - 1)
}

// memory writes the request's [memory] instants.
func (e *encoder) memory(s *sim) {
	for i := range s.mem {
		m := &s.mem[i]
		e.event("", e.forms.memory)
		e.int(e.pid).int(e.tid).at(m.at).int(m.allocated).int(m.bytes).int(m.addr).int(e.device()).int(e.nextIndex())
	}
}

// python writes the request's Python calls.
func (e *encoder) python(s *sim) {
	for i := range s.calls {
		c := &s.calls[i]
		form := e.forms.python
		if c.module >= 0 {
			form = e.forms.module
		}
		e.event("python_function", form)
		e.str(c.name).place(c.start, c.end-c.start)
		if c.parent == 0 {
			e.str("null")
		} else {
			e.int(c.parent)
		}
		e.int(c.id)
		if c.module >= 0 {
			e.int(int64(c.module))
		}
		e.int(e.nextIndex())
	}
}

// deviceSide writes the request's runtime calls, activities and flows. CUPTI
// delivers an activity before its launch; ROCm's records come calls first.
func (e *encoder) deviceSide(s *sim) {
	acts := s.activities
	for i := range s.apis {
		a := &s.apis[i]
		if e.opt.Vendor == CUDA {
			e.activities(acts[:a.activities])
			acts = acts[a.activities:]
		}
		e.api(a)
	}
	e.activities(acts)
	for _, o := range s.annotated {
		e.repeat(s, o)
	}
}

func (e *encoder) api(a *apiCall) {
	category, family := "cuda_runtime", "runtime"
	if a.driver {
		category, family = "cuda_driver", "driver"
	}
	launchesKernel := e.opt.Vendor == ROCm && a.activities == 1 && a.work.kind == kernel
	form := e.forms.runtime
	if launchesKernel {
		form = e.forms.hipLaunch
	} else if a.external == 0 {
		form = e.forms.runtimeLoose
	}
	e.event(category, form)
	if e.opt.Vendor == CUDA {
		e.str(family)
	}
	e.str(a.name).place(a.start, a.dur)
	if a.external != 0 || launchesKernel {
		e.int(a.external)
	}
	if launchesKernel {
		e.str(a.work.name)
	}
	e.int(callback[a.name]).int(a.correlation)
	if w := a.work; launchesKernel {
		e.int(int64(w.grid[0])).int(int64(w.grid[1])).int(int64(w.grid[2])).int(int64(w.block)).int(int64(w.smem))
	}
	flow := e.forms.flowEnd
	if a.activities > 0 {
		flow = e.forms.flowStart
	}
	e.event("", flow)
	e.int(a.correlation).int(e.pid).int(e.tid).at(a.start)
}

// callback is the cbid (CUDA) or cid (HIP) of the calls that appear.
var callback = map[string]int64{
	"cudaLaunchKernel": 211, "cudaLaunchKernelExC": 430, "cuLaunchKernel": 307, "cudaMemcpyAsync": 41, "cudaMemsetAsync": 51,
	"cudaStreamSynchronize": 131, "cudaFuncSetAttribute": 273, "cudaEventRecord": 135, "cudaGraphLaunch": 311,
	"hipLaunchKernel": 211, "hipExtModuleLaunchKernel": 75, "hipModuleLaunchKernel": 235, "hipExtLaunchKernel": 74, "hipMemcpyWithStream": 343,
	"hipMemsetAsync": 249, "hipStreamSynchronize": 301, "hipStreamIsCapturing": 290, "hipEventRecord": 82, "hipGraphLaunch": 144,
}

// repeat remembers an annotation for the device's rows: it reaches from the first
// to the last activity launched in it, a nanosecond wider on both sides.
func (e *encoder) repeat(s *sim, o opEvent) {
	span := annotationSpan{name: o.name, id: o.id}
	acts := s.activities
	i := 0
	for c := range s.apis {
		a := &s.apis[c]
		for range a.activities {
			if a.start >= o.start && a.start < o.end {
				v := &acts[i]
				if span.start == 0 || v.start < span.start {
					span.start = v.start
				}
				span.end = max(span.end, v.start+v.dur)
			}
			i++
		}
	}
	if span.end > 0 {
		e.repeated = append(e.repeated, span)
	}
}
