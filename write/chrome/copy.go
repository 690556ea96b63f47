package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"reel/analyze"
	"reel/read/kineto"
	"reel/timeline"
)

// Copy writes one trace of ranks that were read from Chrome traces, by reading
// their files (Rank.Path) again as text. Of a single rank, every event of the source is kept
// byte for byte, with all keys of the root; what Reel adds stands at the end of the
// list. An activity on a sub-track differs by its tid alone, and so does the end of its
// arrow, if it comes behind it.
// Of several ranks, events differ by pid, time, the ids that link events, and the
// names of processes; the other keys of each source stand in a list "reel_ranks".
//
// Events that are no valid JSON are written anew, as Reel understood them;
// Stats counts them. Whatever the sources, what is written is valid JSON.
//
// A source that carries Reel's tracks already gets no second set of them.
func Copy(ctx context.Context, w io.Writer, ranks []analyze.Rank, opt Options) (Stats, error) {
	if len(ranks) == 0 {
		return Stats{}, errNoRanks
	}
	if opt.Cut != nil && len(opt.Cut) != len(ranks) {
		return Stats{}, fmt.Errorf("chrome: %d cuts for %d ranks", len(opt.Cut), len(ranks))
	}
	c := &copier{out: &out{ctx: ctx, w: w}, opt: opt, many: len(ranks) > 1}
	clk, parts := newClock(ranks), places(ranks)
	c.st.Notes = clk.notes
	if c.many {
		header(c.out, ranks, parts, clk)
	}
	for i, r := range ranks {
		var sel *timeline.Selection
		if opt.Cut != nil {
			sel = &opt.Cut[i]
		}
		if err := c.rank(r, parts[i], clk.shift[i], sel); err != nil {
			return c.st, err
		}
	}
	if c.many {
		c.footer()
	}
	c.st.Events, c.st.Cut = c.events, c.read-c.st.Copied-c.st.Lost
	return c.st, c.flush()
}

// copier copies the events of several sources, one after the other.
type copier struct {
	*out
	opt  Options
	many bool
	st   Stats
	docs [][]byte // of several ranks: each source without its events
	read int64    // events of the sources

	*rankCopy
	own   bool     // the source carries Reel's tracks
	gap   []byte   // what stands behind the last event
	texts [][]byte // what goes out in place of an event
	text  []byte   // an event with its edits
	edit  edits
}

// rankCopy is what is done to the events of one rank.
type rankCopy struct {
	place
	shift   int64 // ns
	lanes   []subTrack
	moves   moves
	cut     *cut // nil keeps everything
	named   map[int64]bool
	present []process // in the order of their appearance
}

// process is a process of one of several ranks, and what to call it when its
// source does not.
type process struct {
	pid   int64
	title string
}

// rank copies one rank's source.
func (c *copier) rank(r analyze.Rank, p place, shift int64, sel *timeline.Selection) error {
	f, err := os.Open(r.Path)
	if err != nil {
		return fmt.Errorf("chrome: %w", err)
	}
	defer f.Close()
	raw, err := kineto.NewRaw(c.ctx, f, r.Path, kineto.Options{Workers: c.opt.Workers})
	if err != nil {
		return err
	}
	defer raw.Close()
	rc, left := newRankCopy(r, p, shift, sel)
	c.rankCopy, c.own, c.gap = rc, false, nil
	c.st.Notes = append(c.st.Notes, crowded(r, left)...)
	if !c.many {
		c.bytes(raw.Head())
	}
	for {
		b, err := raw.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		c.batch(&b)
		if c.err != nil {
			return c.err
		}
	}
	c.added(r)
	return c.tail(raw)
}

// newRankCopy prepares the copying of a rank; left counts the activities for which
// there is no row of their own.
func newRankCopy(r analyze.Rank, p place, shift int64, sel *timeline.Selection) (rc *rankCopy, left int) {
	rc = &rankCopy{place: p, shift: shift, named: map[int64]bool{}}
	tl := r.TL
	if sel != nil {
		rc.cut = newCut(r.TL, *sel)
		tl = rc.cut.timeline
	}
	sub, lanes, left := p.subTracks(tl)
	rc.lanes, rc.moves = lanes, newMoves(tl, sub)
	return rc, left
}

// added writes what a rank gets beside its source's events.
func (c *copier) added(r analyze.Rank) {
	for _, s := range c.lanes {
		tid := itoa(s.tid)
		c.meta(row{itoa(c.pid(s.device)), tid}, "thread_name", `"name": `+quoted(s.name()))
		c.meta(row{itoa(c.pid(s.device)), tid}, "thread_sort_index", `"sort_index": `+tid)
	}
	for _, p := range c.present {
		if !c.named[p.pid] {
			c.meta(row{itoa(p.pid), "0"}, "process_name", `"name": `+quoted(c.title+p.title))
		}
	}
	var keep func(start, dur int64) bool
	if c.cut != nil {
		c.marks(r)
		keep = c.cut.sel.Touches
	}
	if !c.own && !c.opt.Plain {
		own(c.out, r, c.place, c.shift, c.opt, keep)
	}
}

// tail writes what follows a rank's events.
func (c *copier) tail(raw *kineto.Raw) error {
	tail := raw.Tail()
	if c.many {
		c.docs = append(c.docs, append(bytes.Clone(raw.Head()), tail...))
		return c.err
	}
	if joins(c.gap, false) {
		c.bytes(c.gap) // white space before the closing bracket
	}
	if k := bytes.LastIndexByte(tail, '}'); c.cut != nil && k >= 0 {
		c.bytes(tail[:k])
		c.raw(`, "reel_cut": `).str(c.opt.CutName).raw("\n")
		tail = tail[k:]
	}
	c.bytes(tail)
	return c.err
}

// footer closes a trace of several ranks: with the keys of each source.
func (c *copier) footer() {
	c.raw("\n],\n\"reel_ranks\": [")
	for i, doc := range c.docs {
		if i > 0 {
			c.raw(",\n")
		}
		c.bytes(bytes.TrimSpace(doc))
	}
	c.raw("]")
	if c.cut != nil {
		c.raw(",\n\"reel_cut\": ").str(c.opt.CutName)
	}
	c.raw("}\n")
}
