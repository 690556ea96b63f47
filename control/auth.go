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

// errForeign refuses what a page of another site has a browser send.
var errForeign = errors.New("no access: a web page of elsewhere asks")

// Guard answers those alone who may use a server of this machine, as HandlerOptions
// say: with the token, or on a loopback address or unix socket, and never for a web
// page of elsewhere. refuse writes the reply to others, whose code is 401 or 403.
// Handler is guarded already; Guard is for what a server has beside it.
func Guard(next http.Handler, opts HandlerOptions, refuse func(w http.ResponseWriter, code int, err error)) http.Handler {
	foreign := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := opts.admit(r)
		switch {
		case errors.Is(err, errHost):
			refuse(w, http.StatusForbidden, err)
		case err != nil:
			w.Header().Set("WWW-Authenticate", `Bearer realm="profile"`)
			refuse(w, http.StatusUnauthorized, err)
		case foreign.Check(r) != nil:
			refuse(w, http.StatusForbidden, errForeign)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (o HandlerOptions) admit(r *http.Request) error {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local != nil && local.Network() == "unix" {
		return nil
	}
	if o.Token != "" {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if strings.EqualFold(scheme, "Bearer") && same(strings.TrimSpace(token), o.Token) {
			return nil
		}
		return errToken
	}
	bind := o.Bind
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
