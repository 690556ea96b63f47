package html

import (
	"fmt"

	"reel/analyze"
)

const hostile = `</style><script>alert(1)</script>"><img src=x onerror='alert(2)'> {{.}} ` + "\u202e\x1b[31m &amp;\n"

// gpu makes a device's account of its time, ms.
func gpu(span, compute, comm, exposed, copied int64) *analyze.GPU {
	const ms = 1e6
	busy := compute + exposed + copied
	g := &analyze.GPU{Span: span * ms, Busy: busy * ms, Compute: compute * ms, Comm: comm * ms, ExposedComm: exposed * ms, Copy: copied * ms,
		ExposedCopy: copied * ms, Idle: (span - busy) * ms, BusyPercent: 100 * float64(busy) / float64(span), Activities: 12_345}
	if comm > 0 {
		overlap := 100 * float64(comm-exposed) / float64(comm)
		g.CommOverlapPercent = &overlap
	}
	return g
}

// rank makes a rank with a request of two loops.
func rank(index int, device bool) analyze.RankSummary {
	const ms = 1e6
	r := analyze.RankSummary{Rank: index, Host: "node" + fmt.Sprint(index/2), Producer: "PyTorch trace", Timing: analyze.HostTimed, Duration: 900 * ms,
		StartUnix: new(int64(1_785_883_783_000_000_000 + int64(index)*ms)),
		Requests:  []analyze.RequestInfo{{Name: "execute_diffusion", Start: 10 * ms, Duration: 880 * ms, Other: 40 * ms, Evidence: analyze.ByAnnotation}}}
	if device {
		r.Timing, r.Device, r.GPU = analyze.DeviceTimed, "AMD Instinct MI300X", gpu(800, 500+int64(index), 120, 60, 2)
		r.Devices = []analyze.DeviceGPU{{ID: 0, Name: r.Device, GPU: *r.GPU}}
		r.Outside = &analyze.Outside{GPUBusy: ms / 2, Activities: 82}
		r.Links.Unattributed = 7
	}
	opt := func(v int64) *int64 {
		if !device {
			return nil
		}
		return &v
	}
	stage := func(name, module string, start, cpu, busy, span int64) {
		r.Stages = append(r.Stages, analyze.StageInfo{Stage: name, Name: module, Start: start * ms, CPU: cpu * ms, GPUBusy: opt(busy * ms), GPUSpan: opt(span * ms), Activities: 9, Evidence: analyze.ByModule})
	}
	loop := func(loop, steps int, start, each int64) {
		l := analyze.StageInfo{Stage: "diffuse", Name: "SD3Transformer2DModel_0", Start: start * ms, Steps: steps, GPUBusy: opt(0), GPUSpan: opt(0), Evidence: analyze.ByModule}
		for i := range steps {
			d := each
			if i == 5 {
				d *= 3
			}
			s := analyze.StepInfo{Loop: loop, Index: i, Name: l.Name, Start: (start + int64(i)*each) * ms, CPU: d * ms, GPUBusy: opt(d * ms * 6 / 10), GPUSpan: opt(d * ms),
				GPUIdle: opt(d * ms * 4 / 10), Activities: 1098, Launches: 1098, Evidence: analyze.ByModule}
			r.Steps = append(r.Steps, s)
			if l.CPU += s.CPU; device {
				*l.GPUBusy += *s.GPUBusy
				*l.GPUSpan += *s.GPUSpan
			}
		}
		r.Stages = append(r.Stages, l)
	}
	stage("encode", "T5EncoderModel_0", 12, 30, 13, 29)
	stage("encode", hostile, 44, 20, 3, 20)
	stage("encode", "T5EncoderModel_0", 65, 29, 13, 29)
	stage("encode", "T5EncoderModel_0", 95, 29, 13, 29)
	loop(0, 4, 130, 100)
	loop(1, 12, 540, 20)
	stage("decode", "Decoder_0", 860, 8, 49, 50)
	return r
}

// ops makes an operator table.
func ops(device bool) *analyze.OpsReport {
	rep := &analyze.OpsReport{By: analyze.OpsByName, RowsTotal: 400, SelfCPU: 900e6}
	if device {
		rep.SelfDevice = new(int64(700e6))
	}
	for i := range 60 {
		v := int64(300e6) / int64(i+1)
		r := analyze.OpsRow{Name: fmt.Sprint("aten::operator_", i), DeviceType: "cpu", Count: int64(i), SelfCPU: v, CPU: 2 * v}
		if device {
			r.SelfDevice, r.Device = &v, &v
		}
		switch i {
		case 0:
			r.Name, r.DeviceType, r.Annotation, r.SelfCPU, r.CPU = "model_inference", "device", true, 0, 0
		case 2:
			r.Name = hostile + hostile
		case 3:
			r.Name, r.DeviceType, r.SelfCPU, r.CPU = "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT320x224x64_MI16x16x1_SN_LDSB0_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_DTLA0_DTLB0_DTVA0", "device", 0, 0
		}
		rep.Rows = append(rep.Rows, r)
	}
	return rep
}

// document makes a document of so many ranks; the last of several saw no device.
func document(ranks int) *analyze.Document {
	d := &analyze.Document{Schema: analyze.DocumentSchema, Warnings: []string{"kineto: run7.json: event 4711: dur is negative (3 times)", hostile}}
	for i := range ranks {
		d.Ranks = append(d.Ranks, rank(i, i == 0 || i < ranks-1))
		d.Sources = append(d.Sources, analyze.Source{Path: fmt.Sprintf("trace_rank%d.json.gz", i), Format: "kineto", Bytes: 1 << 20, Events: 239_093, Complete: i > 0, MissingPercent: float64(3 - min(i, 3))})
	}
	d.Findings = []analyze.Finding{
		{ID: "gpu-idle", Severity: analyze.SeverityWarn, Title: "The device waits 36 % of each step", Cost: new(int64(345e6)), Remedy: "Compile the transformer, or capture it as a graph.",
			Where: &analyze.Where{Rank: new(0), Stage: "diffuse", Step: new(3), Call: "pipeline_flux.py(912): __call__"}},
		{ID: "bad", Severity: analyze.SeverityError, Title: hostile},
	}
	if ranks > 1 {
		d.WorldSize = new(ranks + 1)
		d.Clock = &analyze.Clock{Start: 1_785_883_783_000_000_000, Spread: 2e6}
		x := analyze.TimesTotal{CPU: analyze.Durations{Count: 40, Min: 9e6, P50: 10e6, P90: new(int64(12e6)), Max: 30e6}, GPUBusy: &analyze.Durations{P50: 5e6, Max: 6e6}}
		d.Totals = &analyze.Totals{Records: ranks, QuantileError: 0.4, Stages: []analyze.StageTotal{{Stage: "decode", TimesTotal: x}}, Steps: &x}
	}
	return d
}
