package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

var (
	errToken = errors.New("no access: send the header \"Authorization: Bearer TOKEN\" with the server's token")
	errBare  = errors.New("no access: the server is not on a loopback address and has no token; give it one")
	errHost  = errors.New("no access: the Host header names no loopback address; give the server a token")
)

// guarded answers those alone who may control the profiler.
func (h *handler) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.admit(r); err != nil {
			code := http.StatusUnauthorized
			if errors.Is(err, errHost) {
				code = http.StatusForbidden
			} else {
				w.Header().Set("WWW-Authenticate", `Bearer realm="profile"`)
			}
			send(w, code, refusal{ReplySchema, err.Error()})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (h *handler) admit(r *http.Request) error {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local != nil && local.Network() == "unix" {
		return nil
	}
	if h.opts.Token != "" {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if strings.EqualFold(scheme, "Bearer") && same(strings.TrimSpace(token), h.opts.Token) {
			return nil
		}
		return errToken
	}
	bind := h.opts.Bind
	if srv, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && bind == "" {
		bind = srv.Addr
	}
	if bind == "" && local != nil {
		bind = local.String()
	}
	if !Loopback(bind) {
		return errBare
	}
	// A page of elsewhere may have its name lead to this machine.
	if !Loopback(r.Host) {
		return errHost
	}
	return nil
}

// same compares in a time that tells nothing of either.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// Loopback reports whether addr, a host with or without port, can be reached from
// this machine alone. An address that is empty, or names every interface, is not.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(addr, "["), "]")
	}
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
