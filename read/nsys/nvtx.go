package nsys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"reel/event"
	"reel/internal/sqlite"
)

// The types of rows of NVTX_EVENTS (ENUM_NSYS_EVENT_TYPE); the second of each pair is
// the same out of a text file that was imported (NVTXT).
const (
	typeMark, typeTextMark         = 34, 65
	typeThread, typeTextThread     = 39, 72
	typePushPop, typeTextPushPop   = 59, 70
	typeStartEnd, typeTextStartEnd = 60, 71
	typeDomain                     = 75
)

// The columns of NVTX_EVENTS, as tables asks for them.
const (
	nStart = iota
	nEnd
	nType
	nTid
	nEndTid
	nText
	nTextID
	nDomain
	nCategory
	nColor
	nPayload // six columns
	nJSON    = nPayload + 6
	nJSONID  = nJSON + 1
)

func nvtxRow(e *emitter, r *sqlite.Rows) {
	t, ok := onThread(e, r, nTid, "NVTX")
	if !ok {
		return
	}
	switch r.Int(nType) {
	case typePushPop, typeTextPushPop:
		e.nvtxRange(r, t, "")
	case typeStartEnd, typeTextStartEnd:
		if other := r.Int(nEndTid); !r.IsNull(nEndTid) && other != r.Int(nTid) {
			t = event.Track{Place: event.Logical, A: t.A, Label: "NVTX ranges across threads"}
		}
		e.nvtxRange(r, t, "StartEnd")
	case typeMark, typeTextMark:
		v := row{kind: event.Mark, class: event.OtherMark, track: t, start: r.Int(nStart), end: r.Int(nStart)}
		v.name = e.nvtxName(r, &v)
		if e.push(&v) {
			e.nvtxArgs(r, t.A)
		}
	case typeThread, typeTextThread:
		name := r.Text(nText)
		if name == nil {
			name = []byte(e.s.x.texts.text(r.Int(nTextID)))
		}
		if len(name) > 0 {
			e.s.named.Store(t, string(name[:min(len(name), maxText)]))
		}
	}
}

// nvtxRange is a range; one that was never closed lasts to the end of the session and
// says so.
func (e *emitter) nvtxRange(r *sqlite.Rows, t event.Track, style string) {
	v := row{kind: event.Range, class: event.Annotation, track: t, start: r.Int(nStart), end: r.Int(nEnd)}
	open := r.IsNull(nEnd)
	if open {
		if v.end = e.s.x.about.stop; v.end < v.start {
			v.end = v.start
		}
		e.warn("open-range", "an NVTX range was never closed; shown up to the end of the session")
	}
	v.name = e.nvtxName(r, &v)
	if !e.push(&v) {
		return
	}
	if style != "" && e.keep.style {
		e.argText("style", style)
	}
	if open && e.keep.unfinished {
		e.argText("unfinished", "true")
	}
	e.nvtxArgs(r, t.A)
}

// nvtxName returns the name of a row: a plain text, or a registered string. That of an
// operator of PyTorch loses what emit_nvtx appends, unless names are kept as they are,
// and v becomes one.
func (e *emitter) nvtxName(r *sqlite.Rows, v *row) event.Str {
	text := r.Text(nText)
	if text == nil {
		return e.nameOf(r, nTextID)
	}
	if v.kind != event.Range {
		return e.out.Strings.AddBytes(text)
	}
	name, ok := cutCounters(text)
	if ok && isOperator(name) {
		v.class = event.Op // its id is left out: no row refers to it
	}
	if e.s.opt.RawNames {
		name = text
	}
	return e.out.Strings.AddBytes(name)
}

// counters are what emit_nvtx appends to the name of an operator, in this order; any may
// be absent.
var counters = [...][]byte{[]byte(", seq = "), []byte(", op_id = "), []byte(", sizes = "), []byte(", input_op_ids = ")}

// cutCounters takes them off; ok says that there were some.
func cutCounters(text []byte) (name []byte, ok bool) {
	if bytes.IndexByte(text, '=') < 0 {
		return text, false
	}
	name = text
	for _, c := range counters {
		if k := bytes.Index(name, c); k > 0 {
			name, ok = name[:k], true
		}
	}
	return name, ok
}

// isOperator tells names of operators (aten::mm, MulBackward0) from those that a program
// gave with record_function, which emit_nvtx numbers as well.
func isOperator(name []byte) bool {
	return bytes.Contains(name, []byte("::")) || bytes.HasSuffix(bytes.TrimRight(name, "0123456789"), []byte("Backward"))
}

// nvtxArgs adds the arguments that are asked for.
func (e *emitter) nvtxArgs(r *sqlite.Rows, pid int64) {
	if d := r.Int(nDomain); e.keep.domain && d != 0 {
		e.argText("domain", e.s.domain(pid, d))
	}
	if e.keep.category && !r.IsNull(nCategory) {
		e.argInt("category", r.Int(nCategory))
	}
	if e.keep.color && !r.IsNull(nColor) {
		e.argText("color", fmt.Sprintf("#%08x", uint32(r.Int(nColor))))
	}
	for c := nPayload; e.keep.payload && c < nJSON; c++ {
		switch r.Type(c) {
		case sqlite.Integer:
			e.argInt("payload", r.Int(c))
		case sqlite.Float:
			e.arg("payload", event.ArgFloat, math.Float64bits(r.Float(c)))
		}
	}
	if !e.keep.data {
		return
	}
	data := r.Text(nJSON)
	if data == nil && !r.IsNull(nJSONID) {
		if place, ok := e.s.x.texts.place(r.Int(nJSONID)); ok {
			data = e.s.x.texts.at(place)
		}
	}
	if len(data) > 0 {
		kind := event.ArgText
		if json.Valid(data) {
			kind = event.ArgRaw
		}
		e.arg("data", kind, uint64(e.out.Strings.AddBytes(data)))
	}
}

// domain is an NVTX domain; its number is its process's own.
type domain struct{ pid, id int64 }

// maxDomains bounds how many there may be.
const maxDomains = 1 << 16

// domain returns the name of a domain, "domain 7" when no row names it. The rows of the
// creation of domains may be anywhere: the table is read for them when the first range in
// a domain comes by.
func (s *Source) domain(pid, id int64) string {
	s.x.once.Do(func() {
		db, err := connect(s.ctx, s.r, s.size)
		if err == nil {
			s.x.readDomains(db)
			db.Close()
		}
	})
	if name := s.x.domains[domain{pid, id}]; name != "" {
		return name
	}
	return "domain " + strconv.FormatInt(id, 10)
}

// readDomains reads the names of domains out of the rows of their creation. What is
// unreadable here, a worker meets too, and tells.
func (h *header) readDomains(db *sqlite.DB) {
	h.domains = map[domain]string{}
	if !h.has("NVTX_EVENTS", "eventType", "domainId") {
		return
	}
	sql := h.selects("NVTX_EVENTS", []string{"globalTid", "domainId", "text", "textId"}, "WHERE eventType = "+strconv.Itoa(typeDomain))
	rows, err := db.Query(sql)
	if err != nil {
		return
	}
	defer rows.Close()
	for rows.Next() && len(h.domains) < maxDomains {
		name := short(rows, 2)
		if rows.IsNull(2) {
			name = h.texts.text(rows.Int(3))
		}
		h.domains[domain{pidOf(rows.Int(0)), rows.Int(1)}] = name
	}
}
