package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reel/event"
	"reel/internal/compress"
	"reel/internal/sqlite"
	"reel/reelfile"
)

// What the tests hide: none of it may be left in an output.
const (
	apiKey   = "hf_QwErTyUiOpAsDfGhJkLz1234"
	password = `p"a\ss/wörd-1`
	host     = "gpu-box-17.lab.example"
	who      = "alice-w"
)

var hide = []string{apiKey, password, host, "gpu-box-17", who, "/home/" + who, "printed-by-the-program"}

func put(t testing.TB, path string, data []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// redacted redacts a file and fails when anything is left.
func redacted(t *testing.T, in string) (data []byte, r *Report) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out"+filepath.Ext(in))
	r, err := Run(context.Background(), in, out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	data = read(t, out)
	nothingLeft(t, data)
	if list, _ := os.ReadDir(filepath.Dir(out)); len(list) != 1 {
		t.Errorf("beside the output lie %v", list)
	}
	return data, r
}

func nothingLeft(t *testing.T, data []byte) {
	t.Helper()
	for _, h := range hide {
		q, _ := json.Marshal(h)
		if bytes.Contains(data, []byte(h)) || bytes.Contains(data, q[1:len(q)-1]) {
			t.Errorf("%q is left", h)
		}
	}
}

func (r *Report) String() string {
	var b strings.Builder
	for _, x := range r.Removed {
		fmt.Fprintf(&b, "%s %d %s\n", x.Kind, x.Count, x.Place)
	}
	return b.String()
}

const trace = `{
  "schemaVersion": 1,
  "host_name": "gpu-box-17.lab.example",
  "environment": {"HF_TOKEN": "hf_QwErTyUiOpAsDfGhJkLz1234", "DB_PASSWORD": "p\"a\\ss\/w\u00f6rd-1", "USER": "alice-w", "OMP_NUM_THREADS": "8", "TOKENIZERS_PARALLELISM": "false"},
  "command": ["python", "gen.py", "--auth-token", "p\"a\\ss/wörd-1", "--steps", "4"],
  "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
  "traceEvents": [
  {"ph": "X", "cat": "python_function", "name": "/home/alice-w/pipeline_flux.py(912): __call__", "pid": 1, "tid": 1, "ts": 1.001, "dur": 5},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 2.002, "dur": 3, "args": {"user": "kept", "Call stack": "\/home\/alice-w\/x.py: f"}},
  {"ph": "X", "cat": "user_annotation", "name": "upload to gpu-box-17 as alice-w with p\"a\\ss\/w\u00F6rd-1", "pid": 1, "tid": 1, "ts": 3, "dur": 1},
  {"ph": "X", "cat": "user_annotation", "name": "false 8 python", "pid": 1, "tid": 1, "ts": 3, "dur": 1}
  ],
  "stdout": "printed-by-the-program\nhf_QwErTyUiOpAsDfGhJkLz1234"
}
`

func TestTrace(t *testing.T) {
	for _, kind := range []compress.Kind{compress.None, compress.Gzip, compress.Zstd} {
		var b bytes.Buffer
		w, err := compress.NewWriter(kind, &b, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, trace); err != nil {
			t.Fatal(err)
		}
		w.Close()
		data, r := redacted(t, put(t, t.TempDir()+"/trace.json", b.Bytes()))
		if compress.Sniff(data) != kind {
			t.Errorf("%v became %v", kind, compress.Sniff(data))
		}
		text, err := compress.NewReader(compress.Sniff(data), bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(text)
		if err != nil {
			t.Fatal(err)
		}
		nothingLeft(t, plain)
		got := string(plain)
		if !json.Valid(plain) {
			t.Errorf("no JSON: %s", got)
		}
		for _, want := range []string{
			`"name": "/home/user/pipeline_flux.py(912): __call__", "pid": 1, "tid": 1, "ts": 1.001, "dur": 5},`,
			`"Call stack": "/home/user/x.py: f"`, `{"user": "kept",`, `"name": "upload to [removed: host name] as [removed: user name] with [removed: secret]"`,
			`"name": "false 8 python", "pid": 1, "tid": 1, "ts": 3, "dur": 1}` + "\n  ],",
			`"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],`, `"--auth-token", "[removed: secret]", "--steps", "4"`, `"OMP_NUM_THREADS": "[removed: environment]"`,
			`"stdout": "[removed: captured output]"`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("lacks %s:\n%s", want, got)
			}
		}
		for _, want := range []string{"environment 5 environment\n", "host name 1 host_name\n", "host name 1 names of events\n", "home path 1 events\n", "captured output 1 stdout\n", "secret 1 command\n"} {
			if !strings.Contains(r.String(), want) {
				t.Errorf("%s was not told:\n%s", want, r)
			}
		}
	}
}

// TestNothing: what holds nothing stays as it is, to the byte, damage included.
func TestNothing(t *testing.T) {
	for _, text := range []string{`{"traceEvents":[{"name":"aten::mm","ts":1.5}]}`, `[{"name": "a\u0041\/b"},` + "\n", `{"a": "unescaped " quote", "b": [1, NaN, }`, `{"x": "cut`, "{\"x\": \"line\nfeed\"}", `{"a":"\`, `[`} {
		if data, r := redacted(t, put(t, t.TempDir()+"/x.json", []byte(text))); string(data) != text || len(r.Removed) > 0 {
			t.Errorf("%q became %q: %s", text, data, r)
		}
	}
}

// export makes a small export with secrets in every place that exports have them.
func export(t testing.TB, path string, more ...string) string {
	t.Helper()
	db, err := sqlite.Create(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	sql := []string{
		"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE)",
		"CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT)",
		"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT)",
		"CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT)",
		"CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER)",
		"CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, binaryData BLOB)",
		"CREATE TABLE gone (x TEXT)",
		"INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'HF_TOKEN=" + apiKey + "'), ('PROCESS_0:ENVIRONMENT_VARIABLE', 'LANG=C'), ('PROCESS_0:ENVIRONMENT_VARIABLE:MY_API_KEY', 'key-in-its-own-row-1'), ('PROCESS_0:ENVIRONMENT_VARIABLE', " + quote("DB_PASSWORD="+password) + "), ('PROCESS_0:ARGUMENT_0', '--api-key'), ('PROCESS_0:ARGUMENT_1', 'word-without-a-form'), ('PROCESS_0:WORKING_DIR', '/home/" + who + "/run'), ('RATE_HZ', '0')",
		"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_HOST', '" + host + "'), ('EXPORT_USER', '" + who + "'), ('EXPORT_SCHEMA_VERSION', '3.25.0')",
		"INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'Local (CLI)', 'DeviceEnvironment', 610, " + quote("SHELL=/bin/sh\nHF_TOKEN="+apiKey) + "), (1, 'Local (CLI)', 'Hostname', 619, '" + host + "'), (1, 'Local (CLI)', 'CpuCores', 1, '32')",
		"INSERT INTO StringIds VALUES (1, 'aten::mm'), (2, 'SHELL=/bin/sh' || char(0) || 'HF_TOKEN=" + apiKey + "' || char(0) || 'USER=" + who + "' || char(0)), (3, 'printed-by-the-program'), (4, 'stdout.log'), (5, 'HOME=/home/" + who + "' || char(0) || 'A=b')",
		"INSERT INTO ProcessStreams VALUES (1, 4, 3)",
		"INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, 'aten::mm, op_id = 7', 1, NULL), (30, 45, 59, 'on " + host + " of /home/" + who + "/m.py', 1, x'00ff')," +
			" (50, 60, 59, " + quote("login "+password) + ", 1, CAST('" + apiKey + "' AS BLOB)), (70, 80, 59, '" + who + "', 1, NULL), (90, 99, 59, 'with key-in-its-own-row-1', 1, NULL)",
		"INSERT INTO gone VALUES ('" + apiKey + "'), (" + quote(strings.Repeat(password, 1000)) + ")",
		"DELETE FROM gone",
	}
	for _, s := range append(sql, more...) {
		if err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

// dump writes out a table.
func dump(t testing.TB, path, sql string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(context.Background(), f, st.Size(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		for i := range rows.Names() {
			fmt.Fprintf(&b, "%s|", rows.Text(i))
		}
		b.WriteString("\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestExport(t *testing.T) {
	in := export(t, t.TempDir()+"/a.sqlite")
	before := read(t, in)
	if !bytes.Contains(before, []byte(apiKey)) || bytes.Count(before, []byte(apiKey)) < 4 {
		t.Fatal("the export does not hold what is to be removed")
	}
	out := t.TempDir() + "/b.sqlite"
	r, err := Run(context.Background(), in, out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, read(t, out))
	if bytes.Contains(read(t, out), []byte("word-without-a-form")) {
		t.Error("the value of --api-key is left")
	}
	if !bytes.Equal(before, read(t, in)) {
		t.Error("the input changed")
	}
	times := "SELECT CAST(start AS TEXT), CAST(end AS TEXT), CAST(eventType AS TEXT) FROM NVTX_EVENTS"
	if got, want := dump(t, out, times), dump(t, in, times); got != want {
		t.Errorf("times\n%swere\n%s", got, want)
	}
	if got, want := dump(t, out, "SELECT text FROM NVTX_EVENTS"), "aten::mm, op_id = 7|\non [removed: host name] of /home/user/m.py|\nlogin [removed: secret]|\n[removed: user name]|\nwith [removed: secret]|\n"; got != want {
		t.Errorf("texts\n%swant\n%s", got, want)
	}
	if got, want := dump(t, out, "SELECT value FROM StringIds ORDER BY id"), "aten::mm|\n[removed: environment]|\n[removed: captured output]|\nstdout.log|\n[removed: environment] (5)|\n"; got != want {
		t.Errorf("strings\n%swant\n%s", got, want)
	}
	if got := dump(t, out, "SELECT name, value FROM META_DATA_CAPTURE"); !strings.Contains(got, "RATE_HZ|0|") || !strings.Contains(got, "WORKING_DIR|/home/user/run|") || strings.Count(got, "[removed: environment]") != 4 {
		t.Errorf("capture:\n%s", got)
	}
	for _, want := range []string{"environment 4 META_DATA_CAPTURE.value\n", "environment 2 StringIds.value\n", "environment 1 TARGET_INFO_SYSTEM_ENV.value\n", "captured output 1 StringIds.value\n", "secret 1 NVTX_EVENTS.binaryData\n"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("%s was not told:\n%s", want, r)
		}
	}
}

// TestLeft: what cannot be edited, as a default in the schema, makes the output vanish.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	in := export(t, dir+"/a.sqlite", "CREATE TABLE t (x TEXT DEFAULT '"+apiKey+"')")
	_, err := Run(context.Background(), in, dir+"/b.sqlite", Options{})
	if !errors.Is(err, ErrLeft) || strings.Contains(fmt.Sprint(err), apiKey) {
		t.Errorf("%v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
	for _, sql := range []string{"CREATE TABLE w (a TEXT PRIMARY KEY) WITHOUT ROWID", "CREATE TABLE r (rowid TEXT)"} {
		in := export(t, t.TempDir()+"/a.sqlite", sql)
		if _, err := Run(context.Background(), in, dir+"/b.sqlite", Options{}); err == nil || !strings.Contains(err.Error(), "such databases are not redacted") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// recorded makes a recording.
func recorded(t testing.TB, path string) string {
	t.Helper()
	w, err := reelfile.Create(path, reelfile.Options{Clock: reelfile.NanosecondClock(), Host: host, Chunk: 4096,
		Props: map[string]string{"command": "gen.py --token " + apiKey, "user": who, "api_key": "word-without-a-form", "model": "tiny"}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := reelfile.NewAdder(w)
	if err != nil {
		t.Fatal(err)
	}
	src, err := event.ParseText(strings.NewReader("track cpu1/1 \"main\"\nrange \"model.step[0]\" at 10us for 5us\nrange \"/home/alice-w/x.py(3): f\" at 11us for 2us\n" +
		"range \"HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLz1234\" at 13us for 1us args {\"note\": \"on gpu-box-17 \"}\nrange \"alice-w\" at 14us for 1us\n"))
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range event.All(src) {
		if err != nil {
			t.Fatal(err)
		}
		a.Add(e)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func events(t *testing.T, path string) (out []event.Event, info event.Info) {
	t.Helper()
	src, err := reelfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for e, err := range event.All(src) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out, src.Info()
}

func TestRecording(t *testing.T) {
	in := recorded(t, t.TempDir()+"/a.reel")
	if !bytes.Contains(read(t, in), []byte(host)) {
		t.Fatal("the host is not in the recording")
	}
	out := t.TempDir() + "/b.reel"
	r, err := Run(context.Background(), in, out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	data := read(t, out)
	nothingLeft(t, data)
	if bytes.Contains(data, []byte("word-without-a-form")) {
		t.Error("the property api_key is left")
	}
	a, ia := events(t, in)
	b, ib := events(t, out)
	if len(a) != len(b) || len(a) == 0 || len(data) != len(read(t, in)) || len(ib.Warnings) != len(ia.Warnings) || ib.Props["model"] != "tiny" {
		t.Fatalf("%d events of %d, warnings %v, properties %v", len(b), len(a), ib.Warnings, ib.Props)
	}
	for i := range a {
		if a[i].Start != b[i].Start || a[i].Dur != b[i].Dur || a[i].Track != b[i].Track || len(a[i].Name) != len(b[i].Name) {
			t.Errorf("event %d: %+v was %+v", i, b[i], a[i])
		}
	}
	if !slices.ContainsFunc(b, func(e event.Event) bool { return e.Name == "/home/xxxxxxx/x.py(3): f" }) || !slices.ContainsFunc(b, func(e event.Event) bool { return e.Name == "model.step[0]" }) {
		t.Errorf("%+v", b)
	}
	if !strings.Contains(r.String(), "host name 1 host\n") {
		t.Errorf("%s", r)
	}
}
