package event

// Source is a Reader of one file or recording that also knows what its header
// says. Info is complete once Next has returned an error (io.EOF included).
type Source interface {
	Reader
	Info() Info
	Close() error
}

// Info is what a source says of itself, apart from its events. Absent text is
// "", absent numbers are nil.
type Info struct {
	Path     string
	Format   string // "kineto", …
	Producer string // for people: "PyTorch trace"
	Bytes    int64  // size of the file as stored
	Text     int64  // bytes after decompression
	Events   int64

	Complete       bool    // the file ended where its format says it ends
	MissingPercent float64 // share of Text that could not be read as events

	Base      *int64 // Unix time of the events' time 0, ns; nil when unknown
	Rank      *int
	WorldSize *int
	Host      string
	Devices   []Device
	// Accelerator is the sort of device as PyTorch names it, where the source tells:
	// "XPU", "MTIA", "HPU"; "" is CUDA, of AMD devices too, or unknown.
	Accelerator string
	Stacks      bool // call stacks were recorded
	Shapes      bool // operator input shapes were recorded
	Memory      bool // allocations were recorded
	Props       map[string]string

	Warnings []Warning
}

// Device describes a device named in a source's header.
type Device struct {
	ID     int64
	Name   string
	Memory int64 // bytes, 0 when not said
}
