package webui

import "sync"

type tileKey struct {
	level, index int64
	band         int
}

// bandTile is a band's part of a tile, and the names that it needs.
type bandTile struct {
	body, names []byte
	count       uint32 // of the names
}

// maxKept bounds the bytes of tiles that are kept.
const maxKept = 96 << 20

// tileCache keeps the tiles of coarse levels: a column of theirs holds so many
// intervals that working it out waits for memory again and again.
type tileCache struct {
	coarse int64 // the finest level that is kept
	mu     sync.Mutex
	all    map[tileKey]*bandTile
	bytes  int
}

func (c *tileCache) get(k tileKey, make func(tileKey) *bandTile) *bandTile {
	if k.level < c.coarse {
		return make(k)
	}
	c.mu.Lock()
	t := c.all[k]
	c.mu.Unlock()
	if t != nil {
		return t
	}
	t = make(k)
	c.mu.Lock()
	defer c.mu.Unlock()
	if size := len(t.body) + len(t.names); c.all[k] == nil && c.bytes+size <= maxKept {
		c.all[k] = t
		c.bytes += size
	}
	return t
}

// Levels are coarse from this many intervals in a column of the busiest band on, and
// runs worth warming from this many in all.
const (
	coarseCount = 24
	warmCount   = 500_000
)

// newTileCache finds out which levels are coarse.
func newTileCache(p *picture) *tileCache {
	c := &tileCache{coarse: maxLevel, all: map[tileKey]*bandTile{}}
	most := 0
	for _, t := range p.tracks {
		most = max(most, t.Count)
	}
	for c.coarse > minLevel && float64(most)*levelWidth(c.coarse-1)/float64(p.end) >= coarseCount {
		c.coarse--
	}
	return c
}

// warm works out the coarse tiles that a page asks for first: those of the whole run at
// every width of a window, and of the levels that a zoom passes. It ends when gone does.
func (st *state) warm(gone func() bool) {
	total := 0
	for _, t := range st.pic.tracks {
		total += t.Count
	}
	if total < warmCount {
		return
	}
	const narrow, broad = 500, 4096 // columns of the whole run
	for level := int64(maxLevel); level >= st.tiles.coarse; level-- {
		cols := float64(st.pic.end) / levelWidth(level)
		if cols < narrow || cols > broad && level%perTwice != 0 {
			continue
		}
		for index := int64(0); float64(index*tileCols) < cols; index++ {
			for band := range st.pic.bands {
				if gone() {
					return
				}
				st.tiles.get(tileKey{level, index, band}, st.bandTile)
			}
		}
	}
}
