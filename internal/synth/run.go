package synth

import "fmt"

// module runs a layer with the frames that torch puts around a module call.
func (s *sim) module(l *layer) {
	s.frame(l.name, l.index, func() {
		s.call("torch/nn/modules/module.py(1779): _call_impl", func() {
			s.chatter(1)
			s.call(l.forward, func() {
				s.chatter(l.chatter)
				for _, p := range l.parts {
					if p.layer != nil {
						s.chatter(2)
						s.module(p.layer)
						continue
					}
					s.run(p.op)
				}
			})
		})
	})
}

// run runs an operator, called from Python when it has a frame there.
func (s *sim) run(o *op) {
	if o.frame == "" {
		s.operator(o)
		return
	}
	s.chatter(5)
	s.call(o.frame, func() { s.operator(o) })
}

func (s *sim) operator(o *op) {
	at := s.beginOp(o, "")
	s.spend(o.cost)
	for _, c := range o.calls {
		s.operator(c)
	}
	s.allocate(o.alloc)
	if o.work != nil {
		s.attributes(o.work)
		s.launch(o.work)
		if o.work.comm {
			s.api(s.vendored("cudaEventRecord"), 900)
		} else if s.free[commStream] > s.free[computeStream] {
			s.join()
		}
	}
	if o.sync {
		s.wait(s.vendored("cudaStreamSynchronize"))
	}
	s.endOp(at)
}

// attributes are the queries that libraries make before a launch.
func (s *sim) attributes(w *work) {
	if w.launch == "cudaLaunchKernelExC" && !w.comm {
		s.api("cudaFuncSetAttribute", 700)
	}
	if w.launch == "hipExtModuleLaunchKernel" {
		s.api("hipStreamIsCapturing", 300)
	}
}

// vendored is HIP's name of a CUDA runtime call on ROCm.
func (s *sim) vendored(name string) string {
	if s.opt.Vendor == ROCm {
		return "hip" + name[len("cuda"):]
	}
	return name
}

// small are names of short Python calls; a real trace has about two thousand.
var small = smallNames()

func smallNames() []string {
	names := []string{"torch/nn/modules/module.py(1951): __getattr__", "<built-in function isinstance>", "<built-in function len>",
		"<built-in function hasattr>", "<built-in function getattr>", "transformers/configuration_utils.py(419): __getattribute__"}
	names = append(names, names...) // these are by far the most frequent
	names = append(names, names...)
	names = append(names, names...)
	files := []string{"torch/_tensor.py", "torch/compiler/__init__.py", "transformers/utils/generic.py", "diffusers/configuration_utils.py",
		"diffusers/utils/peft_utils.py", "collections/__init__.py", "typing.py", "torch/jit/_trace.py", "accelerate/hooks.py"}
	funcs := []string{"__iter__", "is_tracing", "__getitem__", "get", "keys", "_check", "is_scripting", "dtype", "device", "wrapper"}
	for i, file := range files {
		for j, f := range funcs {
			names = append(names, fmt.Sprintf("%s(%d): %s", file, 40+97*i+31*j, f))
		}
	}
	methods := []string{"size", "view", "append", "items", "get", "values", "dim", "pop", "extend", "update"}
	types := []string{"Tensor", "list", "dict", "set"}
	for i := range 160 {
		names = append(names, fmt.Sprintf("<built-in method %s of %s object at 0x7f3c%08x>",
			methods[i%len(methods)], types[i/5%len(types)], 0x2e510000+i*0x1a70))
	}
	return names
}
