package webui

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// policy lets the page load its own files and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; connect-src 'self'; font-src 'none'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// cookie names what keeps the token, so that this stands in no link that is passed on.
// Browsers share cookies among the ports of a host: each server there has its own.
func cookie(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err == nil {
			return "reel-token-" + port
		}
	}
	return "reel-token"
}

// guard refuses what another site's page, or a name that leads here, sends, and from
// beyond loopback whoever has no token.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
			http.Error(w, "a page of elsewhere", http.StatusForbidden)
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") && r.URL.Path != "/" {
			http.Error(w, "a page of elsewhere", http.StatusForbidden)
			return
		}
		if s.opt.Token == "" {
			if !Local(r.Host) {
				http.Error(w, "this server answers to the address of its machine alone", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		s.withToken(w, r, next)
	})
}

// withToken answers who has the token: in a cookie, or once in the address.
func (s *Server) withToken(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if given := r.URL.Query().Get("token"); given != "" && s.is(given) && r.Method == http.MethodGet {
		http.SetCookie(w, &http.Cookie{Name: cookie(r), Value: given, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		q := r.URL.Query()
		q.Del("token")
		to := "/"
		if rest := q.Encode(); rest != "" {
			to += "?" + rest
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if c, err := r.Cookie(cookie(r)); err == nil && s.is(c.Value) || s.is(bearer) {
		next.ServeHTTP(w, r)
		return
	}
	http.Error(w, "a token is needed: open the address that 'reel view' printed", http.StatusUnauthorized)
}

func (s *Server) is(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(s.opt.Token)) == 1
}

// Local reports whether a Host header, or an address to listen on, names this machine
// by address.
func Local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return ip != nil && ip.IsLoopback()
}
