package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// get reads a rank's reply to a GET.
func (r *Rank) get(req *http.Request, path string) ([]byte, error) {
	if ok, cause := r.alive(); !ok {
		return nil, fmt.Errorf("the worker process has ended: %s", cause)
	}
	q, err := http.NewRequestWithContext(req.Context(), "GET", "http://localhost"+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := r.transport.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(io.LimitReader(res.Body, maxReply))
}

// videos lists the jobs of all ranks.
func (f *Fleet) videos(w http.ResponseWriter, req *http.Request) {
	list := []json.RawMessage{}
	for _, r := range f.ranks {
		data, err := r.get(req, "/v1/videos")
		var v struct{ Data []json.RawMessage }
		if err == nil && json.Unmarshal(data, &v) == nil {
			list = append(list, v.Data...)
		}
	}
	answer(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

// metrics gives the metrics of all ranks, told apart by a label.
func (f *Fleet) metrics(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	// The lines of a metric stand together: comments once, then the samples of all
	// ranks.
	var order []string
	comments, samples := map[string][]string{}, map[string][]string{}
	for _, r := range f.ranks {
		data, err := r.get(req, "/metrics")
		if err != nil {
			continue
		}
		family := ""
		for s := bufio.NewScanner(strings.NewReader(string(data))); s.Scan(); {
			line := s.Text()
			if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "#" {
				family = fields[2]
				if _, known := samples[family]; !known {
					order = append(order, family)
					samples[family] = nil
				}
				if len(samples[family]) == 0 {
					comments[family] = append(comments[family], line)
				}
				continue
			}
			if line != "" && family != "" {
				samples[family] = append(samples[family], labelled(line, r.Rank))
			}
		}
	}
	for _, name := range order {
		for _, line := range append(comments[name], samples[name]...) {
			fmt.Fprintln(w, line)
		}
	}
}

// labelled adds the rank to a sample's labels.
func labelled(line string, rank int) string {
	name, value, _ := strings.Cut(line, " ")
	if head, rest, ok := strings.Cut(line, "{"); ok {
		return fmt.Sprintf(`%s{rank="%d",%s`, head, rank, rest)
	}
	return fmt.Sprintf(`%s{rank="%d"} %s`, name, rank, value)
}
