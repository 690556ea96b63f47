package nvtx

import (
	"errors"
	"fmt"
	"unsafe"

	"reel/internal/dl"
)

// NVTX 3 has no library of its own. The program offers the tool's library tables
// of pointers to its functions, and the tool puts its own functions there.

// Export tables that a tool may ask for.
const (
	callbackTable = 1
	versionTable  = 3
)

// apiVersion is NVTX_VERSION.
const apiVersion = 3

// The modules of functions, and how many each has, the unused first one included.
const (
	coreModule  = 1
	moduleCount = 7
)

var moduleSizes = [moduleCount]int{coreModule: 16, 2: 9, 3: 15, 4: 7, 5: 16, 6: 7}

// Where the core module has the functions that are called here.
var coreSlots = [functionCount]struct{ plain, ex int }{
	mark:  {2, 1},
	start: {5, 4},
	end:   {7, 0},
	push:  {9, 8},
	pop:   {11, 0},
}

// tables is what a tool fills, in memory that stays for good.
type tables struct {
	callbacks, version []uintptr
	slots              [moduleCount][]uintptr // functions
	table              [moduleCount][]uintptr // pointers to the slots, and a nil behind them
}

// newTables lays the tables out.
func newTables() (*tables, error) {
	total := 2 + 3
	for _, n := range moduleSizes {
		total += 2*n + 1
	}
	memory, err := dl.Memory(total)
	if err != nil {
		return nil, err
	}
	take := func(n int) []uintptr {
		part := memory[:n:n]
		memory = memory[n:]
		return part
	}
	const word = unsafe.Sizeof(uintptr(0))
	t := &tables{callbacks: take(2), version: take(3)}
	for m, n := range moduleSizes {
		t.slots[m], t.table[m] = take(n), take(n+1)
		for i := 1; i < n; i++ {
			t.table[m][i] = address(&t.slots[m][i])
		}
	}
	t.callbacks[0], t.callbacks[1] = 2*word, uintptr(dl.Callback(t.module))
	t.version[0], t.version[2] = 3*word, uintptr(dl.Callback(func(uint32) uintptr { return 0 }))
	t.version[1] = apiVersion // and a reserved half word, which is 0
	return t, nil
}

func address(p *uintptr) uintptr { return uintptr(unsafe.Pointer(p)) }

// export gives the tool a table by its number.
func (t *tables) export(id uint32) uintptr {
	switch id {
	case callbackTable:
		return address(&t.callbacks[0])
	case versionTable:
		return address(&t.version[0])
	}
	return 0
}

// module gives the tool the table of a module; either place may be nil.
func (t *tables) module(id uint32, table *uintptr, size *uint32) uintptr {
	if id >= moduleCount || moduleSizes[id] == 0 {
		return 0
	}
	if table != nil {
		*table = address(&t.table[id][0])
	}
	if size != nil {
		*size = uint32(moduleSizes[id])
	}
	return 1
}

// entry is the function of a tool's library that takes the tables.
const entry = "InitializeInjectionNvtx2"

// inject opens a tool's library and lets it fill the tables.
func inject(path string) (*emitter, error) {
	l, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	init := l.Func(entry)
	if init == 0 {
		return nil, fmt.Errorf("%s has no function %s: it is no library of a tool for NVTX", path, entry)
	}
	t, err := newTables()
	if err != nil {
		return nil, err
	}
	if int32(init.Call(uintptr(dl.Callback(t.export)))) == 0 {
		return nil, errors.New(path + " does not take part: the tool is not collecting NVTX")
	}
	e := &emitter{name: path}
	core := t.slots[coreModule]
	for f, at := range coreSlots {
		e.calls[f] = call{plain: dl.Func(core[at.plain]), ex: dl.Func(core[at.ex])}
	}
	if _, err := e.ready(); err != nil {
		return nil, err
	}
	return e, nil
}
