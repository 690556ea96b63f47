package parquet

import (
	"reel/analyze"
	"reel/internal/walk"
	"reel/timeline"
)

// derivedRow is a row of the table derived.
type derivedRow struct {
	Rank     int32  `parquet:"rank"`
	Kind     string `parquet:"kind,dict"` // request, stage or step
	Request  int32  `parquet:"request"`
	Loop     *int32 `parquet:"loop,optional"`
	Step     *int32 `parquet:"step,optional"`
	Stage    string `parquet:"stage,optional,dict"`
	Name     string `parquet:"name,optional,dict"`
	Evidence string `parquet:"evidence,dict"`
	Range    *int64 `parquet:"range,optional"` // the range it stands on
	Process  *int64 `parquet:"process,optional"`
	Thread   *int64 `parquet:"thread,optional"`
	Start    int64  `parquet:"start_ns,delta"`
	Dur      int64  `parquet:"dur_ns"` // of host time
}

func derivedRows(r *rank, s *sink[derivedRow]) {
	d := r.Derived
	if d == nil {
		return
	}
	for i := range d.Requests {
		row := r.derived("request", &d.Requests[i])
		row.Request = int32(d.Requests[i].Index)
		s.add(row)
	}
	for i := range d.Stages {
		row := r.derived("stage", &d.Stages[i])
		row.Stage = walk.Text(d.Stages[i].Stage)
		s.add(row)
	}
	for i := range d.Steps {
		row := r.derived("step", &d.Steps[i])
		loop, step := int32(d.Steps[i].Loop), int32(d.Steps[i].Index)
		row.Loop, row.Step, row.Stage = &loop, &step, "diffuse"
		s.add(row)
	}
}

func (r *rank) derived(kind string, x *analyze.Span) derivedRow {
	row := derivedRow{Rank: int32(r.Index), Kind: kind, Request: int32(x.Request), Name: walk.Text(x.Name), Evidence: string(x.Evidence),
		Range: maybe(x.Range), Start: x.Start + r.offset, Dur: x.Dur()}
	if x.Track != timeline.NoTrack {
		row.Process, row.Thread = ids(&r.tl.Tracks[x.Track])
	}
	return row
}
