package report

import (
	"io"
	"strconv"
	"strings"

	"reel/analyze"
	"reel/unit"
)

// Summary writes what happened in a run: of one rank its requests, stages and
// steps; of several a row for each; the warnings last. The error is that of w.
func Summary(w io.Writer, d *analyze.Document, o Options) error {
	p := &page{Options: o}
	p.summary(d)
	_, err := w.Write(p.Bytes())
	return err
}

func (p *page) summary(d *analyze.Document) {
	switch d.RankCount() {
	case 0:
	case 1:
		for i := range d.Ranks {
			if i == maxRecordings && len(d.Ranks) > maxRecordings+1 {
				p.gap()
				p.note("", "… and "+count(len(d.Ranks)-i, "more recording", "more recordings")+"; --json has all")
				break
			}
			if len(d.Ranks) > 1 {
				if i > 0 {
					p.gap()
				}
				p.title("recording "+strconv.Itoa(i+1)+" of "+strconv.Itoa(len(d.Ranks)), d.Sources[i].Path)
			}
			p.rank(recordingOf(d, i), &d.Ranks[i])
		}
	default:
		p.ranks(d)
	}
	p.findings(d)
	p.warnings(d.Warnings)
}

// maxRecordings is how many recordings of one rank are shown.
const maxRecordings = 8

// recordingOf is the document with the file of one recording alone.
func recordingOf(d *analyze.Document, i int) *analyze.Document {
	if len(d.Ranks) == 1 {
		return d
	}
	one := *d
	one.Sources = d.Sources[i : i+1]
	return &one
}

// rank writes the report of a run of one rank.
func (p *page) rank(d *analyze.Document, r *analyze.RankSummary) {
	p.header(d, r)
	switch {
	case r.GPU == nil && r.Duration == 0:
		p.gap()
		p.note("", "nothing to show: this trace holds no range and no device activity")
	case len(r.Stages) == 0:
		p.gap()
		p.nothingFound(r)
		p.device(r)
	default:
		p.requests(r)
		p.steps(r)
		p.deviceLine(r)
	}
	p.memory(r)
	p.unattributed(r)
}

// deviceUnseen says what is known of a device without activity.
func deviceUnseen(r *analyze.RankSummary) string {
	if events(r) {
		return "device times by events around stages and steps"
	}
	return "no device activity recorded"
}

// header says what was read, and how busy the device was.
func (p *page) header(d *analyze.Document, r *analyze.RankSummary) {
	parts := []string{deviceName(r), "rank " + unit.Count(r.Rank).String()}
	if r.Host != "" {
		parts = append(parts, "host "+r.Host)
	}
	parts = append(parts, readText(d.Sources, r.Producer))
	if g := r.GPU; g != nil {
		parts = append(parts, "on the device "+dur(g.Span)+", busy "+dur(g.Busy)+" ("+share(g.Busy, g.Span)+")")
	} else {
		parts = append(parts, deviceUnseen(r))
		if r.Duration > 0 {
			parts = append(parts, dur(r.Duration)+" on the host")
		}
	}
	p.title(append(parts, cutText(d.Sources))...)
}

// readText is "PyTorch trace, 239,012 events".
func readText(sources []analyze.Source, producer string) string {
	var events int64
	for _, s := range sources {
		events += s.Events
	}
	if producer == "" {
		producer = "trace"
	}
	if len(sources) > 1 {
		producer = count(len(sources), producer, producer+"s")
	}
	return producer + ", " + count(int(events), "event", "events")
}

// cutText says that files are incomplete.
func cutText(sources []analyze.Source) string {
	cut := 0
	for _, s := range sources {
		if !s.Complete {
			cut++
		}
	}
	switch {
	case cut == 0:
		return ""
	case len(sources) == 1:
		return "the file is cut"
	}
	return count(cut, "file is cut", "files are cut")
}

// deviceName is "AMD Instinct MI300X", "2 × NVIDIA H100", "device 2".
func deviceName(r *analyze.RankSummary) string {
	name := r.Device
	switch n := len(r.Devices); {
	case name == "" && n == 1:
		return "device " + unit.Count(r.Devices[0].ID).String()
	case name == "" && n > 1:
		return count(n, "device", "devices")
	case n > 1 && r.Devices[0].Name == name:
		return unit.Count(n).String() + " × " + name
	}
	return name
}

// nothingFound says which stages and steps were looked for, and what helps.
func (p *page) nothingFound(r *analyze.RankSummary) {
	p.title("no stage and no denoise step found")
	p.note(margin, "Looked for: ranges that the producer named; known annotations (encode_prompt, denoising_step, vae_decode, …); "+
		"nn.Module calls of text encoders, denoisers and decoders; Python calls of pipelines and schedulers; repeated work. "+
		"Record with stacks or modules, name the parts with record_function, or say what the names mean with --roles FILE.")
	var names []string
	for i, q := range r.Requests {
		if i == 4 && len(r.Requests) > 5 {
			names = append(names, count(len(r.Requests)-i, "more", "more"))
			break
		}
		names = append(names, q.Name+" "+dur(q.Duration))
	}
	if len(names) > 0 {
		p.note(margin, "ranges around the work: "+strings.Join(names, ", "))
	}
}

// unattributed says what device work has no launch.
func (p *page) unattributed(r *analyze.RankSummary) {
	if n := r.Links.Unattributed; n > 0 && r.GPU != nil {
		are := "have"
		if n == 1 {
			are = "has"
		}
		p.note(margin, unit.Count(n).String()+" of "+count(r.GPU.Activities, "activity", "activities")+" "+are+
			" no launch in this trace (begun before it, or replayed by a graph): counted for the device, in no stage")
	}
}

// warnings come last.
func (p *page) warnings(list []string) {
	if len(list) > 0 {
		p.gap()
	}
	for _, w := range list {
		p.styledNote(yellow, "! ", w)
	}
}
