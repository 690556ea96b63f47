package webui

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"reel/analyze"
	"reel/internal/rundir"
	"reel/internal/walk"
	"reel/rec/startup"
)

// overviewJSON is what the page asks for first.
type overviewJSON struct {
	Generation int64             `json:"generation"`
	Live       bool              `json:"live"`
	Title      string            `json:"title"`
	Began      int64             `json:"began_unix_ns,omitempty"`
	End        int64             `json:"end_ns"` // of the page's time
	Ranks      []rankJSON        `json:"ranks"`
	Tracks     []track           `json:"tracks"`
	Bands      []bandJSON        `json:"bands"`
	Colours    []string          `json:"colours"`
	Summary    *analyze.Document `json:"summary"`
	Doctor     doctorJSON        `json:"doctor"`
	Places     []placeJSON       `json:"places"` // of the findings
	Note       *noteJSON         `json:"run,omitempty"`
	Files      []fileJSON        `json:"files"`
	Clip       string            `json:"clip,omitempty"`
	Startup    []phaseJSON       `json:"startup,omitempty"`
	Compare    string            `json:"compare,omitempty"` // title of the other run
	Reports    []string          `json:"reports"`
	Notes      []string          `json:"notes,omitempty"`
}

type rankJSON struct {
	Rank   int                 `json:"rank"`
	Shift  int64               `json:"shift_ns"` // added to times since the rank's first event, the page's time
	File   string              `json:"file"`
	Frames analyze.FrameReport `json:"frames"`
	Busy   *busyJSON           `json:"busy,omitempty"`
}

type bandJSON struct {
	Track int `json:"t"`
	Rows  int `json:"n"`
}

type doctorJSON struct {
	Healthy       []analyze.Healthy    `json:"healthy"`
	NotAnswerable []analyze.Unanswered `json:"not_answerable"`
}

// noteJSON is what of run.json the page shows.
type noteJSON struct {
	App      string            `json:"app"`
	Command  []string          `json:"command,omitempty"`
	Versions map[string]string `json:"versions,omitempty"`
	Window   string            `json:"window,omitempty"`
	Coverage []string          `json:"coverage,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
	Missing  []string          `json:"missing,omitempty"` // that the command was to record and did not
	Unready  []string          `json:"unready,omitempty"` // ranks that are not done, and what they are
}

type fileJSON struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Size   int64  `json:"size_bytes"`
	Viewer string `json:"viewer,omitempty"`
}

// placeJSON is where a finding leads to: a stretch of the page's time.
type placeJSON struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

type phaseJSON struct {
	Name  string `json:"name"`
	Depth int    `json:"depth"`
	Start int64  `json:"start_ns"`
	Dur   int64  `json:"duration_ns"`
	Own   int64  `json:"own_ns"`
	Bad   string `json:"status,omitempty"`
}

// run is the overview as JSON, made once for each state.
func (s *Server) run(st *state) (any, error) {
	got := st.memo.get("run", func() any {
		text, err := json.Marshal(st.overview(s))
		if err != nil {
			return fmt.Errorf("write the overview: %w", err)
		}
		return json.RawMessage(text)
	})
	if err, ok := got.(error); ok {
		return nil, err
	}
	return got, nil
}

func (st *state) overview(s *Server) *overviewJSON {
	// The page goes through every list: an empty one is [], never null.
	o := &overviewJSON{Generation: st.generation, Live: st.Live, Title: short(st.Title, listName), End: st.pic.end, Ranks: []rankJSON{}, Tracks: listOf(st.pic.tracks), Bands: []bandJSON{}, Colours: colours,
		Summary: st.Document, Places: []placeJSON{}, Files: []fileJSON{}, Reports: reportNames(), Notes: st.pic.notes}
	if st.pic.clock.Unix {
		o.Began = st.pic.clock.Start
	}
	for i, r := range st.pic.ranks {
		frames := r.report
		if len(frames.Frames) > maxListed {
			frames.Frames = frames.Frames[:maxListed]
		}
		o.Ranks = append(o.Ranks, rankJSON{Rank: r.rank.Index, Shift: r.rank.TL.Origin - r.base, File: short(path.Base(r.rank.Path), listName), Frames: frames, Busy: st.busy(i)})
	}
	for _, b := range st.pic.bands {
		o.Bands = append(o.Bands, bandJSON{b.track, len(b.lanes)})
	}
	for _, f := range st.Document.Findings {
		o.Places = append(o.Places, st.place(f.Where))
	}
	d := st.Document.Doctor()
	o.Doctor = doctorJSON{listOf(d.Healthy), listOf(d.NotAnswerable)}
	o.note(st)
	if st.Startup != nil {
		phases(st.Startup.Tree(), 0, &o.Startup)
	}
	if s.other != nil {
		o.Compare = short(s.other.Title, listName)
	}
	return o
}

func listOf[T any](list []T) []T { return append([]T{}, list...) }

// maxListed bounds lists that charts are drawn from.
const maxListed = 20_000

// note tells of the run folder.
func (o *overviewJSON) note(st *state) {
	for _, f := range st.Files {
		o.Files = append(o.Files, fileJSON{f.ID, short(f.Path, listName), string(f.Kind), f.Size, f.Viewer})
		if o.Clip == "" && clipType(f.Path) != "" {
			o.Clip = f.ID
		}
	}
	n := st.Note
	if n == nil {
		return
	}
	o.Note = &noteJSON{App: n.App, Command: n.Command, Versions: n.Versions, Window: n.Window, Coverage: n.Coverage, Warnings: n.Warnings}
	if n.Launch != nil {
		o.Note.Missing, o.Note.Warnings = n.Launch.Missing, slices.Concat(n.Warnings, n.Launch.Warnings)
	}
	for _, r := range n.Ranks {
		if r.State != "done" && r.State != "" && len(o.Note.Unready) < maxPhases {
			o.Note.Unready = append(o.Note.Unready, fmt.Sprintf("rank %d: %s", r.Rank, short(r.State, listName)))
		}
	}
}

// clipType is the media type of a file that the page shows as the run's picture; ""
// for others. A name says so; the guard lets no browser guess.
func clipType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".gif":
		return "image/gif"
	case ".png", ".apng":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".webp":
		return "image/webp"
	case ".mp4":
		return "video/mp4"
	case ".webm":
		return "video/webm"
	}
	return ""
}

// place finds the stretch of time that a finding is about: its step, its stage, its
// rank, or everything.
func (st *state) place(w *analyze.Where) placeJSON {
	all := placeJSON{0, st.pic.end}
	if w == nil {
		return all
	}
	i := 0
	if w.Rank != nil {
		i = slices.IndexFunc(st.pic.ranks, func(r *rankPicture) bool { return r.rank.Index == *w.Rank })
		if i < 0 {
			return all
		}
	}
	if i >= len(st.pic.ranks) {
		return all
	}
	r := st.pic.ranks[i]
	found := placeJSON{1<<63 - 1, 0}
	for _, s := range r.spans {
		switch {
		case w.Step != nil && (s.role != "step" || s.Index != *w.Step):
		case w.Step == nil && w.Stage == "diffuse" && s.role != "step" && s.Stage != "diffuse":
		case w.Step == nil && w.Stage != "diffuse" && (s.role != "stage" || s.Stage != w.Stage):
		default:
			found.From, found.To = min(found.From, s.Start-r.base), max(found.To, s.End-r.base)
			if w.Step != nil {
				return found
			}
		}
	}
	if found.From >= found.To {
		return all
	}
	return found
}

// phases lists a start-up as rows, each below what it is part of.
func phases(n *startup.Node, depth int, out *[]phaseJSON) {
	if n == nil || len(*out) >= maxPhases {
		return
	}
	p := phaseJSON{Name: short(walk.Text(n.Name), listName), Depth: depth, Start: n.Start, Dur: n.Duration, Own: n.Own}
	if n.Error != "" {
		p.Bad = short(n.Error, listName)
	}
	*out = append(*out, p)
	for _, c := range n.Children {
		phases(c, depth+1, out)
	}
}

const maxPhases = 500

// fileOf returns an artifact of the run by its id.
func (st *state) fileOf(id string) (rundir.Artifact, bool) {
	i := slices.IndexFunc(st.Files, func(f rundir.Artifact) bool { return f.ID == id })
	if i < 0 {
		return rundir.Artifact{}, false
	}
	return st.Files[i], true
}
