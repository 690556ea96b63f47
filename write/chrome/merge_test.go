package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/samples"
	"reel/internal/synth"
	"reel/timeline"
)

// job returns the ranks of a made-up job.
func job(t *testing.T, n int) (ranks []analyze.Rank) {
	t.Helper()
	for i := range n {
		ranks = append(ranks, made(t, synth.Options{Steps: 3, Layers: 2, Python: i == 0, Rank: i, WorldSize: n, Collectives: true,
			Annotations: true, Seed: uint64(i), Absolute: i == 1}))
	}
	return ranks
}

// TestMerge copies several ranks into one trace: every event of every rank is there,
// changed as the package says and in nothing else.
func TestMerge(t *testing.T) {
	n := 3
	if long() {
		n = 8
	}
	dlrm := func(t *testing.T) (ranks []analyze.Rank) {
		for i := range n {
			list, _ := filepath.Glob(filepath.Join(samples.Shared(t), "multirank", fmt.Sprintf("*worker%d*", i)))
			ranks = append(ranks, openFile(t, list[0]))
		}
		return ranks
	}
	for name, get := range map[string]func(*testing.T) []analyze.Rank{
		"job":  func(t *testing.T) []analyze.Rank { return job(t, 3) },
		"dlrm": dlrm,
		"lone": func(t *testing.T) []analyze.Rank {
			return []analyze.Rank{openFile(t, samples.File(t, "kineto/tl_h100_vit.json.gz")), openFile(t, samples.File(t, "torch/generated_torch113_tiny_dit_legacy.json"))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ranks := get(t)
			text, st := copied(t, ranks, Options{})
			items, keys := listOf(t, text)
			if int64(len(items)) != st.Events {
				t.Errorf("%d events, %d were counted", len(items), st.Events)
			}
			var docs []json.RawMessage
			if err := json.Unmarshal(keys["reel_ranks"], &docs); err != nil || len(docs) != len(ranks) {
				t.Fatalf("%d documents of %d ranks: %v", len(docs), len(ranks), err)
			}
			clk, parts := newClock(ranks), places(ranks)
			for i, r := range ranks {
				items = compareRank(t, items, inflated(t, r.Path), parts[i], clk.shift[i], r)
			}
			compareMerged(t, opened(t, bytes.NewReader(text), "merged.json"), ranks, parts)
		})
	}
}

// compareRank compares the events of a rank with the first of items that are its
// own, and returns the items behind them.
func compareRank(t *testing.T, items []json.RawMessage, source []byte, p place, shift int64, r analyze.Rank) []json.RawMessage {
	t.Helper()
	want, _ := listOf(t, source)
	for k, w := range want {
		var a, b map[string]json.RawMessage
		if json.Unmarshal(items[k], &a) != nil || json.Unmarshal(w, &b) != nil || len(a) != len(b) {
			t.Fatalf("%s\nwant %s", items[k], w)
		}
		for key := range b {
			if got, want := string(a[key]), renumbered(t, key, b, p, shift); got != want && key != "tid" {
				t.Fatalf("%s is %s, want %s\n%s\n%s", key, got, want, items[k], w)
			}
		}
	}
	items = items[len(want):]
	for len(items) > 0 && (bytes.Contains(items[0], []byte(`"cat": "reel"`)) || bytes.Contains(items[0], []byte(`{"ph": "M", "name": "`))) {
		items = items[1:]
	}
	return items
}

// renumbered is what a member of an event should be in a trace of several ranks.
func renumbered(t *testing.T, key string, e map[string]json.RawMessage, p place, shift int64) string {
	t.Helper()
	text := string(e[key])
	switch key {
	case "pid":
		if n, ok := integer(e[key]); ok {
			return itoa(p.pid(n))
		}
		return `"` + p.title + text[1:]
	case "id":
		n, _ := integer(e[key])
		return itoa(p.id(n))
	case "ts":
		if shift == 0 {
			return text
		}
		ts, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		_, fraction, _ := strings.Cut(text, ".")
		ts.Add(ts, big.NewRat(shift, 1000))
		long := ts.FloatString(3)
		for n := len(fraction); strings.HasSuffix(long, "0") && len(long)-strings.IndexByte(long, '.')-1 > n; {
			long = long[:len(long)-1]
		}
		return strings.TrimSuffix(long, ".")
	case "args":
		if string(e["name"]) == `"process_name"` {
			return strings.Replace(text, `"name": "`, `"name": "`+p.title, 1)
		}
		for _, k := range []string{"correlation", "External id", "external id", "wait_on_cuda_event_record_corr_id"} {
			at := strings.Index(text, `"`+k+`": `)
			if at < 0 || p.slot == 0 || string(e["ph"]) != `"X"` {
				continue
			}
			at += len(k) + 4
			end := at + strings.IndexAny(text[at:]+",", ",}\n ")
			n, _ := integer([]byte(text[at:end]))
			text = text[:at] + itoa(p.id(n)) + text[end:]
		}
	}
	return text
}

// compareMerged compares what Reel says of several ranks in one trace with what it
// says of each.
func compareMerged(t *testing.T, got analyze.Rank, ranks []analyze.Rank, parts []place) {
	t.Helper()
	roles := roleTable(t)
	sum := timeline.Linked{}
	devices := map[int64]analyze.GPU{}
	for i, r := range ranks {
		l := r.TL.Linked
		sum.ByLaunch, sum.ByOp, sum.None, sum.Unsound = sum.ByLaunch+l.ByLaunch, sum.ByOp+l.ByOp, sum.None+l.None, sum.Unsound+l.Unsound
		for _, d := range analyze.Summarize(r.TL, roles).Devices {
			devices[parts[i].pid(d.ID)] = d.GPU
		}
	}
	if got.TL.Linked != sum {
		t.Errorf("links %+v, those of the ranks are %+v", got.TL.Linked, sum)
	}
	merged := analyze.Summarize(got.TL, roles)
	starts, known := make([]int64, len(ranks)), make([]bool, len(ranks))
	for i, r := range ranks {
		if s := analyze.Summarize(r.TL, roles).StartUnix; s != nil {
			starts[i], known[i] = *s, true
		}
	}
	corrections, _, _ := analyze.ClockCorrections(ranks, starts, known)
	var first *int64
	for i := range ranks {
		if at := starts[i] + corrections[i]; known[i] && (first == nil || at < *first) {
			first = &at
		}
	}
	if merged.StartUnix == nil || *merged.StartUnix != *first {
		t.Errorf("the trace begins at %v, the first rank at %v", merged.StartUnix, *first)
	}
	if len(merged.Devices) != len(devices) {
		t.Errorf("%d devices, want %d", len(merged.Devices), len(devices))
	}
	for _, d := range merged.Devices {
		w := devices[d.ID]
		d.GPU.Start, d.GPU.End, w.Start, w.End = 0, 0, 0, 0
		if !reflect.DeepEqual(d.GPU, w) || d.Name == "" && ranks[0].TL.Info.Devices != nil {
			t.Errorf("device %d %q: %+v, want %+v", d.ID, d.Name, d.GPU, w)
		}
	}
	owners := func(tl *timeline.Timeline) map[string]int {
		n := map[string]int{}
		for i, o := range tl.Activities.Owner {
			name := "-"
			if o != timeline.NoRange {
				name = tl.Name(tl.Ranges.Name[o])
			}
			n[tl.Name(tl.Activities.Name[i])+" by "+name]++
		}
		return n
	}
	want := map[string]int{}
	for _, r := range ranks {
		for k, v := range owners(r.TL) {
			want[k] += v
		}
	}
	if !reflect.DeepEqual(owners(got.TL), want) {
		t.Error("activities have other owners")
	}
}

// TestMergeWritten writes several timelines as one trace.
func TestMergeWritten(t *testing.T) {
	ranks := job(t, 3)
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, ranks, Options{Roles: roleTable(t)}); err != nil {
		t.Fatal(err)
	}
	compareMerged(t, opened(t, &b, "merged.json"), ranks, places(ranks))
}

// TestShifted adds to times in every spelling.
func TestShifted(t *testing.T) {
	for _, c := range []struct {
		token string
		ns    int64
		want  string
	}{
		{"1", 0, "1"}, {"1", 1000, "2"}, {"1", 1, "1.001"}, {"1.5", 500, "2.0"}, {"1.250", -250, "1.000"},
		{"1682725898237042", 1500, "1682725898237043.5"}, {"5554153.6590000001", 1, "5554153.6600000001"},
		{"0", -1, "-0.001"}, {"-0.5", 1000, "0.5"}, {`"2413.57"`, 10, `"2413.58"`}, {`"2413.57	"`, 10, `"2413.58"`},
		{"1e3", 1, "1000.001"}, {"1.5E-2", 1, "0.016"}, {"inf", 5, "inf"}, {"1e300", 5, "1e300"},
		{"9223372036854775807.999", 1, "9223372036854775808.000"}, {"1719321600123456.789", 1_000_000_000_000_000_000, "2719321600123456.789"},
	} {
		if got := string(shifted([]byte(c.token), c.ns)); got != c.want {
			t.Errorf("%s + %d ns = %s, want %s", c.token, c.ns, got, c.want)
		}
	}
}

// TestOddProcesses keeps processes apart that are numbered as no system does.
func TestOddProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd.json")
	text := `[{"ph":"X","cat":"cpu_op","name":"a","pid":20000007,"tid":1,"ts":1,"dur":1},{"ph":"X","cat":"cpu_op","name":"b","pid":7,"tid":1,"ts":1,"dur":1},` +
		`{"ph":"X","cat":"Trace","name":"c","pid":"Spans","tid":"x","ts":1,"dur":1},{"ph":"X","cat":"overhead","name":"d","pid":-1,"tid":0,"ts":1,"dur":1}]`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := openFile(t, path)
	ranks := []analyze.Rank{r, r, r} // all say rank 0: places count
	got, _ := copied(t, ranks, Options{Plain: true})
	items, _ := listOf(t, got)
	seen := map[string]bool{}
	for _, item := range items {
		var e struct {
			Ph  string
			Pid json.RawMessage
		}
		if json.Unmarshal(item, &e) == nil && e.Ph == "X" {
			if seen[string(e.Pid)] {
				t.Errorf("two processes are %s", e.Pid)
			}
			seen[string(e.Pid)] = true
		}
	}
	for _, pid := range []string{"5000000", "7", `"rank 0 Spans"`, "-1", "10000007", "9999999", "25000000"} {
		if !seen[pid] {
			t.Errorf("no process %s in %v", pid, seen)
		}
	}
}

// TestOddBases does not believe a base that no trace can have had: sums with it
// would leave the range of times.
func TestOddBases(t *testing.T) {
	dir := t.TempDir()
	ranks := make([]analyze.Rank, 0, 3)
	for i, base := range []string{"1700000000000000000", "-9200000000000000000", "9200000000000000000"} {
		path := filepath.Join(dir, fmt.Sprintf("rank%d.json", i))
		text := `{"baseTimeNanoseconds":` + base + `,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1000,"dur":5}]}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ranks = append(ranks, openFile(t, path))
	}
	got, st := copied(t, ranks, Options{Plain: true})
	if n := strings.Count(string(got), `"ts":1000,`); n != 3 || len(st.Notes) != 2 || !strings.Contains(string(got), `"baseTimeNanoseconds": 1700000000000000000`) {
		t.Errorf("%d events at their time, %q:\n%s", n, st.Notes, got)
	}
}
