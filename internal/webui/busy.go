package webui

// busyCols is the number of columns of a device's time on the overview.
const busyCols = 720

// busyJSON is how busy a rank's device was over the page's time: of each column the
// share that something ran, 0 to 255, and the stage that launched most of it.
type busyJSON struct {
	Share  []int `json:"share"`
	Stage  []int `json:"stage"` // a colour
	BusyNS int64 `json:"busy_ns"`
}

// busy sums up the device's work of a rank; nil when there is none.
func (st *state) busy(rank int) *busyJSON {
	r := st.pic.ranks[rank]
	if len(r.work) == 0 {
		return nil
	}
	a := &r.rank.TL.Activities
	var cols [busyCols][cStep + 1]float64
	width := float64(st.pic.end) / busyCols
	out := &busyJSON{Share: make([]int, busyCols), Stage: make([]int, busyCols)}
	done := int64(-1 << 62) // until when the device's time is counted
	for _, i := range r.work {
		from, to := max(a.Start[i]-r.base, done), a.End(int(i))-r.base
		if to <= from {
			continue
		}
		done = to
		out.BusyNS += to - from
		spread(&cols, r.stageOf(int(i)), float64(from)/width, float64(to)/width)
	}
	for k := range cols {
		sum, best := 0.0, 0
		for c, v := range cols[k] {
			sum += v
			if v > cols[k][best] {
				best = c
			}
		}
		out.Share[k], out.Stage[k] = int(min(sum, 1)*255+0.5), best
		if sum > 0 && out.Share[k] == 0 {
			out.Share[k] = 1
		}
	}
	return out
}

// spread adds a stretch, in columns, to the columns that it touches.
func spread(cols *[busyCols][cStep + 1]float64, colour uint8, from, to float64) {
	from, to = max(from, 0), min(to, busyCols)
	for k := int(from); k < busyCols && float64(k) < to; k++ {
		cols[k][colour] += min(to, float64(k+1)) - max(from, float64(k))
	}
}

// stageOf is the colour of the stage that launched an activity.
func (r *rankPicture) stageOf(i int) uint8 {
	part := r.parts.OfActivity(i)
	if part == 0 {
		return cStage
	}
	stage, _ := r.parts.Names(part)
	return stageColour(stage)
}

// union is the time that a rank's device worked within [from, to) of the page's time.
func (r *rankPicture) union(from, to int64, each func(i int32, ns int64)) (busy int64) {
	a := &r.rank.TL.Activities
	done := from
	lo, hi := r.workWithin(from, to)
	for _, i := range r.work[lo:hi] {
		start, end := max(a.Start[i]-r.base, from), min(a.End(int(i))-r.base, to)
		if end <= start {
			continue
		}
		if each != nil {
			each(i, end-start)
		}
		if s := max(start, done); end > s {
			busy += end - s
			done = end
		}
	}
	return busy
}

// workWithin bounds the activities that may have a part in a stretch. Those that begin
// before it are found by going back as far as the longest activity lasts.
func (r *rankPicture) workWithin(from, to int64) (lo, hi int) {
	a := &r.rank.TL.Activities
	at := func(t int64) int {
		lo, hi := 0, len(r.work)
		for lo < hi {
			if m := int(uint(lo+hi) >> 1); a.Start[r.work[m]]-r.base < t {
				lo = m + 1
			} else {
				hi = m
			}
		}
		return lo
	}
	return at(from - r.longest), at(to)
}
