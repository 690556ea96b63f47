package nsys

import (
	"cmp"
	"fmt"
	"slices"

	"reel/internal/sqlite"
)

// Rank is a process of an export that counts as a rank of the job: one that ran kernels
// or graphs; where none did, one with any work on a device; where there is none of
// those either, everything in the file is one rank. They are ordered by the lowest device that they
// used, then by process id.
type Rank struct {
	Process int64  // its process id, as its own container counts; 0 when the file does not tell
	Name    string // of the process; "" when the file does not tell
	Device  int64  // the lowest that it used
	Alone   bool   // it is the only rank of the file

	order int     // from 0
	all   []int64 // of every rank
}

// The tables of work on a device. Kernels and graphs make a rank, the others only where
// nobody has those.
var (
	kernelTables = []string{"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"}
	copyTables   = []string{"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}
)

// maxRanks bounds how many ranks one file may hold; nsys records one machine.
const maxRanks = 1024

// ranks finds the ranks.
func (x *export) ranks() ([]Rank, error) {
	found := map[int64]*Rank{}
	for _, tables := range [][]string{kernelTables, copyTables} {
		for _, t := range tables {
			if err := x.workers(t, found); err != nil {
				return nil, err
			}
		}
		if len(found) > 0 {
			break
		}
	}
	if len(found) == 0 || len(found) > maxRanks {
		found = map[int64]*Rank{0: {}}
	}
	names := x.processes()
	var list []Rank
	for pid, r := range found {
		r.Process, r.Name, r.Alone = pid, names[pid], len(found) == 1
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Rank) int { return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Process, b.Process)) })
	all := make([]int64, len(list))
	for i := range list {
		all[i], list[i].order, list[i].all = list[i].Process, i, all
	}
	return list, nil
}

// exact is up to how many rows a table's processes are looked for in each row; probes
// is in how many otherwise. A process that so few rows are of that all probes miss it is
// no rank, but its rows are not lost: see Options.Process and the warning other-process.
const (
	exact  = 1 << 20
	probes = 2048
)

// workers adds the processes that have rows in a table of device work.
func (x *export) workers(table string, found map[int64]*Rank) error {
	if !x.has(table, "globalPid") {
		return nil
	}
	cols := []string{"globalPid", "deviceId"}
	add := func(r *sqlite.Rows) {
		pid, dev := pidOf(r.Int(0)), r.Int(1)
		if f := found[pid]; f == nil {
			if len(found) <= maxRanks {
				found[pid] = &Rank{Device: dev}
			}
		} else {
			f.Device = min(f.Device, dev)
		}
	}
	lo, hi, ok := x.bounds(table)
	if !ok || hi-lo < exact {
		return x.query(x.selects(table, cols, ""), add)
	}
	for i := range int64(probes) {
		at := lo + (hi-lo)/probes*i
		if err := x.query(x.selects(table, cols, "WHERE rowid >= ? LIMIT 1"), add, at); err != nil {
			return err
		}
	}
	return nil
}

// query calls row for each row; damage ends it early, but is no error here.
func (x *export) query(sql string, row func(*sqlite.Rows), args ...any) error {
	rows, err := x.db.Query(sql, args...)
	if err != nil {
		return damaged(err)
	}
	defer rows.Close()
	for rows.Next() {
		row(rows)
	}
	return damaged(rows.Err())
}

// bounds returns the first and last row id of a table; ok is false when it has no rows,
// no row ids, or some that no writer gives.
func (x *export) bounds(table string) (lo, hi int64, ok bool) {
	for i, f := range []string{"min", "max"} {
		err := x.query("SELECT "+f+"(rowid) FROM "+sqlite.Quote(table), func(r *sqlite.Rows) {
			if ok = !r.IsNull(0); i == 0 {
				lo = r.Int(0)
			} else {
				hi = r.Int(0)
			}
		})
		if err != nil || !ok {
			return 0, 0, false
		}
	}
	return lo, hi, hi-lo >= 0
}

// processes returns the names of the processes.
func (x *export) processes() map[int64]string {
	out := map[int64]string{}
	x.each("PROCESSES", []string{"globalPid", "pid", "name"}, func(r *sqlite.Rows) {
		pid := r.Int(1)
		if r.IsNull(1) {
			pid = pidOf(r.Int(0))
		}
		out[pid] = short(r, 2)
	})
	return out
}

// choose finds the rank that is asked for.
func choose(all []Rank, process int64) (Rank, error) {
	if process == 0 {
		return all[0], nil
	}
	for _, r := range all {
		if r.Process == process {
			return r, nil
		}
	}
	return Rank{}, fmt.Errorf("process %d is no rank of it", process)
}
