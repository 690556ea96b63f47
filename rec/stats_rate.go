package rec

import "sync"

// rates count events by name.
type rates struct {
	mu            sync.Mutex
	began, last   Time
	recent, total map[string]int64
}

func (r *rates) reset(now Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.began, r.last = now, now
	r.recent, r.total = map[string]int64{}, map[string]int64{}
}

func (r *rates) count(name string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, seen := r.total[name]; !seen && len(r.total) >= maxNames {
		return
	}
	r.recent[name] += int64(n)
	r.total[name] += int64(n)
}

func (r *rates) collect(now Time) map[string]float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]float64{}
	for name, total := range r.total {
		if now > r.last {
			out[name+"_fps"] = float64(r.recent[name]) / seconds(now-r.last)
		}
		if now > r.began {
			out[name+"_avg_fps"] = float64(total) / seconds(now-r.began)
		}
	}
	if now > r.last { // otherwise nothing was told, and the count goes on
		clear(r.recent)
		r.last = now
	}
	return out
}

// averages gives <name>_avg_fps over the session.
func (r *rates) averages(now Time) map[string]float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]float64{}
	if now > r.began {
		for name, total := range r.total {
			out[name+"_avg_fps"] = float64(total) / seconds(now-r.began)
		}
	}
	return out
}

func seconds(t Time) float64 { return float64(t) / 1e9 }
