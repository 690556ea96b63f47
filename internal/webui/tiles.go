package webui

import (
	"encoding/binary"
	"math"
	"net/http"
	"net/url"

	"reel/internal/lanes"
)

// A tile is tileCols columns of some bands at one level of zoom. A column at level l
// is 2^(l/8) ns wide: a column of the tile is a column of pixels.
const (
	tileCols  = 512
	minLevel  = -32
	maxLevel  = 400
	perTwice  = 8
	maxTiles  = 64 // bands of one request
	tileMagic = 0x31544c52
)

func levelWidth(level int64) float64 { return math.Exp2(float64(level) / perTwice) }

// tile answers with the columns of bands, in this form (little endian):
//
//	u32 magic, u32 generation, i32 level, u32 number of bands, f64 index of the tile
//	for each band: u32 band, u16 mask of rows that hold anything, u16 0, u32 number of wide intervals,
//	  for each row of the mask: 512 bytes of cover (0 is nothing, 255 is full), 512 bytes of colour,
//	  for each wide interval: u32 id, u32 name, f32 and f32 its first and last column, u16 row, u8 colour, u8 0
//	u32 number of names; for each: u32 rank, u32 name, u16 length, the text
func (s *Server) tile(w http.ResponseWriter, r *http.Request) {
	st := s.now.Load()
	v, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		http.Error(w, "the address is broken: "+err.Error(), http.StatusBadRequest)
		return
	}
	q := &query{v: v}
	level := q.int("l", 0, minLevel, maxLevel)
	index := q.int("i", 0, -1<<40, 1<<40)
	bands := q.ints("b", maxTiles, len(st.pic.bands))
	if q.err != nil {
		fail(w, q.err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(st.encodeTile(level, index, bands)) // the reader has gone
}

func (st *state) encodeTile(level, index int64, bands []int) []byte {
	le := binary.LittleEndian
	var out, names []byte
	n := uint32(0)
	out = le.AppendUint32(out, tileMagic)
	out = le.AppendUint32(out, uint32(st.generation))
	out = le.AppendUint32(out, uint32(int32(level)))
	out = le.AppendUint32(out, uint32(len(bands)))
	out = le.AppendUint64(out, math.Float64bits(float64(index)))
	for _, b := range bands {
		t := st.tiles.get(tileKey{level, index, b}, st.bandTile)
		out, names, n = append(out, t.body...), append(names, t.names...), n+t.count
	}
	return append(le.AppendUint32(out, n), names...)
}

// bandTile works out what a tile says of one band.
func (st *state) bandTile(k tileKey) *bandTile {
	t := &tileWriter{st: st, grid: lanes.Grid{First: k.index * tileCols, Width: levelWidth(k.level), N: tileCols}, known: map[uint32]bool{}}
	t.band(k.band)
	return &bandTile{t.out, t.names, uint32(len(t.known))}
}

// tileWriter is a band's part of a tile in the making.
type tileWriter struct {
	st    *state
	grid  lanes.Grid
	out   []byte
	bins  [tileCols]lanes.Bin
	wide  []byte
	names []byte
	known map[uint32]bool
}

func (t *tileWriter) band(b int) {
	le := binary.LittleEndian
	band := &t.st.pic.bands[b]
	tr := &t.st.pic.tracks[band.track]
	r := t.st.pic.ranks[tr.Rank]
	t.out = le.AppendUint32(t.out, uint32(b))
	head := len(t.out)
	t.out = append(t.out, make([]byte, 8)...)
	t.wide = t.wide[:0]
	mask := uint16(0)
	for row, lane := range band.lanes {
		if !lane.Bins(t.grid, t.bins[:], func(id int32) { t.addWide(r, tr, row, id) }) {
			continue
		}
		mask |= 1 << row
		for _, x := range t.bins {
			t.out = append(t.out, x.Cover)
		}
		for _, x := range t.bins {
			c := uint8(0)
			if x.Cover > 0 {
				c = r.colour(tr.kind, x.Long)
			}
			t.out = append(t.out, c)
		}
	}
	le.PutUint16(t.out[head:], mask)
	le.PutUint32(t.out[head+4:], uint32(len(t.wide)/20))
	t.out = append(t.out, t.wide...)
}

// addWide adds an interval that is wide enough to be told from its neighbours.
func (t *tileWriter) addWide(r *rankPicture, tr *track, row int, id int32) {
	le := binary.LittleEndian
	c := r.columns(tr.kind)
	first := t.grid.Edge(0)
	at := func(ns int64) uint32 {
		const far = 1 << 20
		return math.Float32bits(float32(min(max((float64(ns)-first)/t.grid.Width, -far), far)))
	}
	start := c.Start[id] - c.Base
	name := r.nameKey(tr.kind, id)
	t.wide = le.AppendUint32(t.wide, uint32(id))
	t.wide = le.AppendUint32(t.wide, name)
	t.wide = le.AppendUint32(t.wide, at(start))
	t.wide = le.AppendUint32(t.wide, at(start+max(c.Dur[id], 0)))
	t.wide = le.AppendUint16(t.wide, uint16(row))
	t.wide = append(t.wide, r.colour(tr.kind, id), 0)
	if t.known[name] {
		return
	}
	t.known[name] = true
	text := r.label(tr.kind, int(id), rowName)
	t.names = le.AppendUint32(t.names, uint32(tr.Rank))
	t.names = le.AppendUint32(t.names, name)
	t.names = le.AppendUint16(t.names, uint16(len(text)))
	t.names = append(t.names, text...)
}
