package webui

import (
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"

	"reel/write/perfetto"
)

// perfetto sends the run as a trace for ui.perfetto.dev. It is built as it is sent.
func (s *Server) perfetto(w http.ResponseWriter, _ *http.Request) {
	st := s.now.Load()
	attach(w, "trace.pftrace")
	_ = perfetto.Write(w, st.Ranks, perfetto.Options{}) // the error is that of w: the reader has gone
}

func attach(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

// file sends a file of the run folder by the id that was listed, never by a path:
// the run's picture to be shown, everything else to be saved.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	st := s.now.Load()
	a, ok := st.fileOf(r.URL.Query().Get("id"))
	if !ok {
		http.Error(w, "the run holds no such file", http.StatusNotFound)
		return
	}
	root, err := os.OpenRoot(st.Folder)
	if err != nil {
		http.Error(w, "the run folder is gone", http.StatusNotFound)
		return
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(a.Path))
	if err != nil {
		http.Error(w, "the file is gone", http.StatusNotFound)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		http.Error(w, "the file is gone", http.StatusNotFound)
		return
	}
	if kind := clipType(a.Path); kind != "" && r.URL.Query().Get("show") == "1" {
		w.Header().Set("Content-Type", kind)
	} else {
		attach(w, path.Base(a.Path))
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
}
