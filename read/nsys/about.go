package nsys

import (
	"cmp"
	"slices"
	"strings"

	"reel/event"
	"reel/internal/sqlite"
)

// about is what an export says of its session.
type about struct {
	base      *int64 // Unix time of time 0, ns
	stop      int64  // when the session ended, ns; 0 when not said
	host      string
	product   string // "2026.2.1.210"
	schema    string // "3.25.0"
	driver    string
	traced    []string // what was traced: NvtxEvents, Cuda, …; none when not said
	graphs    string   // how graphs were: Graph, Node
	processes map[int64]string
	threads   map[event.Track]string
	gpus      map[int64]gpu // by their own number
	ordinals  []ordinal
	diagnosed []diagnostic
}

type gpu struct {
	name   string
	memory int64
}

// ordinal says which GPU is a process's device.
type ordinal struct{ gpu, device, pid int64 }

// diagnostic is a message of nsys about the recording.
type diagnostic struct {
	severity int64 // 1 information, 2 warning, 3 error, 4 verbose (ENUM_DIAGNOSTIC_SEVERITY_LEVEL)
	pid      int64 // 0: of no process of the target
	text     string
}

func (x *export) readAbout() *about {
	a := &about{gpus: map[int64]gpu{}, threads: map[event.Track]string{}, processes: x.processes()}
	x.each("TARGET_INFO_SESSION_START_TIME", []string{"utcEpochNs"}, func(r *sqlite.Rows) {
		if v := r.Int(0); v > 0 && v < maxTime {
			a.base = &v
		}
	})
	x.each("ANALYSIS_DETAILS", []string{"stopTime"}, func(r *sqlite.Rows) { a.stop = max(a.stop, r.Int(0)) })
	a.readMeta(x)
	a.readThreads(x)
	x.each("TARGET_INFO_GPU", []string{"id", "name", "totalMemory"}, func(r *sqlite.Rows) {
		a.gpus[r.Int(0)] = gpu{short(r, 1), max(0, r.Int(2))}
	})
	x.each("TARGET_INFO_CUDA_DEVICE", []string{"gpuId", "cudaId", "pid"}, func(r *sqlite.Rows) {
		a.ordinals = append(a.ordinals, ordinal{r.Int(0), r.Int(1), r.Int(2)})
	})
	x.each("DIAGNOSTIC_EVENT", []string{"severity", "globalPid", "text"}, func(r *sqlite.Rows) {
		d := diagnostic{severity: r.Int(0), text: strings.Join(strings.Fields(short(r, 2)), " ")}
		if g := r.Int(1); !isHost(g) {
			d.pid = pidOf(g)
		}
		a.diagnosed = append(a.diagnosed, d)
	})
	return a
}

// readMeta reads how the session was recorded; the environment that stands there too,
// secrets included, is passed over.
func (a *about) readMeta(x *export) {
	x.each("META_DATA_EXPORT", []string{"name", "value"}, func(r *sqlite.Rows) {
		switch short(r, 0) {
		case "EXPORT_PRODUCT_VERSION":
			a.product = cmp.Or(a.product, short(r, 1))
		case "EXPORT_SCHEMA_VERSION":
			a.schema = cmp.Or(a.schema, short(r, 1))
		}
	})
	x.each("META_DATA_CAPTURE", []string{"name", "value"}, func(r *sqlite.Rows) {
		switch short(r, 0) {
		case "CAPTURE_EVENT_TYPE":
			a.traced = append(a.traced, short(r, 1))
		case "CUDA_GRAPH_TRACE_OPTIONS:MODE":
			a.graphs = short(r, 1)
		case "DEVICE_DISPLAY_NAME":
			a.host = cmp.Or(a.host, short(r, 1))
		}
	})
	x.each("TARGET_INFO_SYSTEM_ENV", []string{"name", "value"}, func(r *sqlite.Rows) {
		switch short(r, 0) {
		case "Hostname":
			a.host = cmp.Or(short(r, 1), a.host)
		case "NvDriverVersion":
			a.driver = short(r, 1)
		}
	})
}

// readThreads reads the names of threads; of several, the one of the highest priority.
func (a *about) readThreads(x *export) {
	priority := map[event.Track]int64{}
	x.each("ThreadNames", []string{"nameId", "priority", "globalTid"}, func(r *sqlite.Rows) {
		t := thread(r.Int(2))
		if p, twice := priority[t]; twice && p > r.Int(1) {
			return
		}
		priority[t] = r.Int(1)
		a.threads[t] = x.texts.text(r.Int(0))
	})
}

// devices lists the devices of a rank, as its own kernels number them.
func (a *about) devices(who Rank) (out []event.Device) {
	for _, o := range a.ordinals {
		if g, ok := a.gpus[o.gpu]; ok && (who.Alone || o.pid == who.Process) {
			out = append(out, event.Device{ID: o.device, Name: g.name, Memory: g.memory})
		}
	}
	if len(a.ordinals) == 0 { // a file without that table: numbered as the machine does
		for id, g := range a.gpus {
			out = append(out, event.Device{ID: id, Name: g.name, Memory: g.memory})
		}
	}
	slices.SortFunc(out, func(x, y event.Device) int { return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.Name, y.Name)) })
	return slices.Compact(out)
}

// tell fills what the header says.
func (s *Source) tell() {
	a := s.x.about
	s.info = event.Info{Path: s.name, Format: "nsys", Producer: "Nsight Systems export", Bytes: s.size, Text: s.size,
		Complete: s.x.missing == 0, Base: a.base, Host: a.host, Devices: a.devices(s.who), Props: map[string]string{}}
	for key, v := range map[string]string{"nsys version": a.product, "schema version": a.schema, "driver version": a.driver, "graph trace": a.graphs} {
		if v != "" {
			s.info.Props[key] = v
		}
	}
}
