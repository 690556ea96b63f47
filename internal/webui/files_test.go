package webui

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reel/internal/rundir"
)

func TestFilesOfTheRunAlone(t *testing.T) {
	dir := t.TempDir()
	run := runOf(t, small)
	run.Folder, run.Files = dir, []rundir.Artifact{{ID: "1", Path: "clip.gif"}, {ID: "2", Path: "page.html"}, {ID: "3", Path: "out.txt"}}
	outside := filepath.Join(t.TempDir(), "secret")
	for path, text := range map[string]string{filepath.Join(dir, "clip.gif"): "GIF89a", filepath.Join(dir, "page.html"): "<script>", outside: "secret"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out.txt")); err != nil {
		t.Skip(err)
	}
	h := New(run, Options{}).Handler()
	if w := ask(h, "/api/file?id=1&show=1"); w.Code != 200 || w.Header().Get("Content-Type") != "image/gif" {
		t.Errorf("the clip: %d %v", w.Code, w.Header())
	}
	if w := ask(h, "/api/file?id=2&show=1"); w.Header().Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("a page of the run must be saved, not shown: %v", w.Header())
	}
	for _, id := range []string{"3", "4", "", "../secret", outside} {
		if w := ask(h, "/api/file?id="+url.QueryEscape(id)); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "secret\n") {
			t.Errorf("file %q: %d %s", id, w.Code, w.Body)
		}
	}
}

func TestPerfetto(t *testing.T) {
	w := ask(New(runOf(t, small), Options{}).Handler(), "/api/perfetto")
	if w.Code != 200 || w.Body.Len() < 100 || !strings.Contains(w.Header().Get("Content-Disposition"), "trace.pftrace") {
		t.Errorf("%d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
}
