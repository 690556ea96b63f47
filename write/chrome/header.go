package chrome

import (
	"slices"

	"reel/analyze"
	"reel/event"
)

// header writes the keys before the events.
func header(o *out, ranks []analyze.Rank, parts []place, c clock) {
	o.raw("{\"schemaVersion\": 1,\n\"deviceProperties\": [")
	n := 0
	for i, r := range ranks {
		for _, d := range r.TL.Info.Devices {
			if n++; n > 1 {
				o.raw(", ")
			}
			o.raw(`{"id": `).int(parts[i].pid(d.ID)).raw(`, "name": `).str(d.Name)
			if d.Memory > 0 {
				o.raw(`, "totalGlobalMem": `).int(d.Memory)
			}
			o.raw("}")
		}
	}
	o.raw("],\n")
	if len(ranks) == 1 {
		distributed(o, &ranks[0].TL.Info)
	}
	common(o, ranks)
	o.raw("\"displayTimeUnit\": \"ms\",\n")
	if c.based {
		o.raw(`"baseTimeNanoseconds": `).int(c.base).raw(",\n")
	}
	o.raw(`"traceEvents": [`)
}

// distributed writes which rank of how many this is.
func distributed(o *out, i *event.Info) {
	switch {
	case i.Rank != nil && i.WorldSize != nil:
		o.raw(`"distributedInfo": {"rank": `).int(int64(*i.Rank)).raw(`, "world_size": `).int(int64(*i.WorldSize)).raw("},\n")
	case i.Rank != nil:
		o.raw(`"distributedInfo": {"rank": `).int(int64(*i.Rank)).raw("},\n")
	}
}

// common writes what the sources of all ranks say of themselves.
func common(o *out, ranks []analyze.Rank) {
	every := func(says func(*event.Info) bool) bool {
		return !slices.ContainsFunc(ranks, func(r analyze.Rank) bool { return !says(&r.TL.Info) })
	}
	if host := ranks[0].TL.Info.Host; host != "" && every(func(i *event.Info) bool { return i.Host == host }) {
		o.raw(`"host_name": `).str(host).raw(",\n")
	}
	for _, f := range []struct {
		key  string
		says func(*event.Info) bool
	}{
		{"record_shapes", func(i *event.Info) bool { return i.Shapes }},
		{"with_stack", func(i *event.Info) bool { return i.Stacks }},
		{"profile_memory", func(i *event.Info) bool { return i.Memory }},
	} {
		if every(f.says) {
			o.str(f.key).raw(": 1,\n")
		}
	}
}
