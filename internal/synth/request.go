package synth

import "fmt"

// request runs one pipeline call, as a user's script would.
func (s *sim) request(r int) {
	s.reset()
	s.call("generate.py(34): run_once", func() {
		s.annotate(fmt.Sprintf("ProfilerStep#%d", r+3), func() {
			s.call("torch/utils/_contextlib.py(120): decorate_context", func() {
				s.note("pipeline_call", func() { s.pipeline() })
			})
		})
	})
	s.spend(310_000)
}

func (s *sim) pipeline() {
	s.callStart = s.now
	s.call(tinyPipeline+"(120): __call__", func() {
		s.chatter(30)
		s.note("encode_prompt", func() { s.encode() })
		s.call(tinyPipeline+"(84): prepare_latents", func() { s.chatter(12); s.runAll(s.pipe.noise) })
		s.call(tinyPipeline+"(47): retrieve_timesteps", func() {
			s.call(tinySchedule+"(118): set_timesteps", func() { s.chatter(20); s.runAll(s.pipe.timesteps) })
		})
		for i := range s.opt.Steps {
			s.step(i)
		}
		s.note("vae_decode", func() {
			s.call(tinyVAE+"(233): decode", func() {
				s.chatter(8)
				s.owned("decode", 0, s.pipe.decoder, func() { s.module(s.pipe.decoder) })
			})
		})
		s.call("diffusers/image_processor.py(754): postprocess", func() { s.chatter(10); s.runAll(s.pipe.postprocess) })
	})
	s.callEnd = s.calls[s.indexOf(tinyPipeline+"(120): __call__")].end
}

func (s *sim) indexOf(name string) int {
	for i := range s.calls {
		if s.calls[i].name == name {
			return i
		}
	}
	return 0
}

func (s *sim) encode() {
	s.call(tinyPipeline+"(58): encode_prompt", func() {
		for _, l := range []*layer{s.pipe.clip, s.pipe.t5} {
			s.call("transformers/tokenization_utils_base.py(2938): __call__", func() {
				s.chatter(40)
				s.spend(900_000)
			})
			s.owned("encode", 0, l, func() { s.module(l) })
		}
	})
}

// step is one denoise iteration: the transformer, then the scheduler.
func (s *sim) step(i int) {
	s.note("transformer_forward", func() {
		s.owned("diffuse", i, s.pipe.transformer, func() {
			if s.opt.Graph {
				s.graph()
				return
			}
			s.module(s.pipe.transformer)
		})
	})
	s.note("scheduler_step", func() {
		s.call(tinySchedule+"(201): step", func() { s.chatter(18); s.runAll(s.pipe.scheduler) })
	})
	s.call("tqdm/std.py(1232): update", func() { s.chatter(5) })
}

// owned counts what f launches under a stage or step. The top module's own frame
// is the first that f opens, so its begin and end are the stage's.
func (s *sim) owned(stage string, index int, l *layer, f func()) {
	at, frame := len(s.owners), len(s.calls)
	s.owners = append(s.owners, owner{stage: stage, name: l.class, index: index})
	s.openOwner = at
	f()
	s.openOwner = 0
	s.owners[at].start, s.owners[at].end = s.calls[frame].start, s.calls[frame].end
}

// graph is the transformer's module call when it has been captured.
func (s *sim) graph() {
	l := s.pipe.transformer
	s.frame(l.name, l.index, func() {
		s.call("torch/_dynamo/eval_frame.py(804): compile_wrapper", func() {
			s.chatter(60)
			s.runAll(s.pipe.replay)
			at := s.beginOp(nil, "Torch-Compiled Region: 0/0")
			s.replay(captured(l, nil))
			s.endOp(at)
		})
	})
}

// captured lists the work of a module in order.
func captured(l *layer, w []*work) []*work {
	for _, p := range l.parts {
		if p.layer != nil {
			w = captured(p.layer, w)
		} else {
			w = capturedOp(p.op, w)
		}
	}
	return w
}

func capturedOp(o *op, w []*work) []*work {
	for _, c := range o.calls {
		w = capturedOp(c, w)
	}
	if o.work != nil {
		w = append(w, o.work)
	}
	return w
}

func (s *sim) runAll(ops []*op) {
	for _, o := range ops {
		s.run(o)
	}
}
