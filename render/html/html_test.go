package html

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reel/analyze"
	"reel/internal/golden"
)

// keepFolder names the environment variable of a folder that the pages are left
// in, to be looked at.
const keepFolder = "REEL_KEEP_HTML"

// manyRequests is a rank with so many requests that they are only listed.
func manyRequests() *analyze.Document {
	d := document(1)
	r := &d.Ranks[0]
	r.Steps, r.Stages = nil, nil
	r.Requests = nil
	for i := range 30 {
		start := int64(i) * 1e9
		r.Requests = append(r.Requests, analyze.RequestInfo{Index: i, Name: "request", Start: start, Duration: 9e8 + int64(i%7)*1e7, Evidence: analyze.ByRange})
		loop := analyze.StageInfo{Request: i, Stage: "diffuse", Name: "Wan", Start: start, CPU: 8e8, GPUBusy: new(int64(7e8)), GPUSpan: new(int64(8e8)), Steps: 20}
		for k := range 20 {
			took := int64(4e7) + int64((i*k)%5)*1e6
			r.Steps = append(r.Steps, analyze.StepInfo{Request: i, Index: k, Name: "Wan", Start: start + int64(k)*4e7, CPU: took, GPUBusy: new(took * 7 / 8), GPUSpan: new(took), GPUIdle: new(took / 8)})
		}
		r.Stages = append(r.Stages, loop)
	}
	return d
}

// cases are the pages that the tests look at.
func cases() map[string]func(io.Writer) error {
	list := func(reps ...*analyze.OpsReport) []*analyze.OpsReport { return reps }
	host := document(1)
	host.Ranks[0], host.Findings, host.Warnings = rank(0, false), nil, nil
	bare := document(1)
	bare.Ranks[0].Stages, bare.Ranks[0].Steps, bare.Ranks[0].Requests = nil, nil, nil
	write := func(d *analyze.Document, reps []*analyze.OpsReport) func(io.Writer) error {
		return func(w io.Writer) error { return Write(w, d, reps) }
	}
	return map[string]func(io.Writer) error{
		"rank":  write(document(1), list(ops(true))),
		"ranks": write(document(4), list(nil, ops(true))),
		"host":  write(host, list(ops(false))),
		"many":  write(manyRequests(), nil),
		"bare":  write(bare, nil),
		"empty": write(&analyze.Document{}, nil),
	}
}

func render(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// folded are the parts of a page that it hides at first: long, and tables like
// the others.
var folded = regexp.MustCompile(`(?s)</summary>.*?</details>`)

// TestPages compares the pages without their style and script, and all but the first
// without what they fold.
func TestPages(t *testing.T) {
	for name, write := range cases() {
		got := render(t, write)
		if dir := os.Getenv(keepFolder); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got = strings.Replace(strings.Replace(got, styleText, "…", 1), scriptText, "…", 1)
		got = regexp.MustCompile(`sha256-.*?&#39;`).ReplaceAllString(got, "sha256-…&#39;")
		if name != "rank" {
			got = folded.ReplaceAllString(got, "</summary>…</details>")
		}
		golden.String(t, name+".html", got)
	}
}

// TestHarmless: whatever names hold, the page has our elements and attributes
// alone, loads nothing and runs nothing but its own script.
func TestHarmless(t *testing.T) {
	elements := "html head meta link title style body header p svg rect path h1 h2 h3 ul li div main section b span table thead tbody tr th td small figure figcaption g line details summary footer script"
	allowed := map[string]bool{}
	for _, e := range strings.Fields(elements) {
		allowed[e] = true
	}
	for name, write := range cases() {
		page := render(t, write)
		body := strings.Replace(strings.Replace(page, styleText, "", 1), scriptText, "", 1)
		d := xml.NewDecoder(strings.NewReader(body))
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			start, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if !allowed[start.Name.Local] {
				t.Errorf("%s: element %s", name, start.Name.Local)
			}
			for _, a := range start.Attr {
				if key := a.Name.Local; strings.HasPrefix(key, "on") || key == "src" || key == "style" || key == "href" && a.Value != "data:," {
					t.Errorf("%s: attribute %s=%q", name, key, a.Value)
				}
			}
		}
		if strings.Count(page, "<script") != 1 || strings.Contains(styleText, "url(") || strings.Contains(page, "\u202e") || strings.Contains(page, "\x1b") {
			t.Errorf("%s: a second script, something to load, or a control character", name)
		}
	}
}

// TestPolicy: the digests are those of what the page holds.
func TestPolicy(t *testing.T) {
	page := render(t, cases()["rank"])
	for _, element := range []string{"style", "script"} {
		_, rest, _ := strings.Cut(page, "<"+element+">")
		text, _, ok := strings.Cut(rest, "</"+element+">")
		sum := sha256.Sum256([]byte(text))
		digest := strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;")
		if want := fmt.Sprintf("%s-src &#39;sha256-%s&#39;", element, digest); !ok || !strings.Contains(page, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
}

// full fails after some bytes, as a disk does.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	for _, room := range []int{0, 5_000, 20_000} {
		if err := Write(&full{room}, document(3), nil); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
}

func TestSamePageTwice(t *testing.T) {
	var a, b bytes.Buffer
	if err := errors.Join(Write(&a, document(4), nil), Write(&b, document(4), nil)); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("two pages of one document differ, %v", err)
	}
}
