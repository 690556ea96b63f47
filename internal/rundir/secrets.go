package rundir

import (
	"net/url"
	"os"
	"regexp"
	"strings"
)

// hidden stands where a secret stood.
const hidden = "[hidden]"

// tokens are the forms of well-known keys.
var tokens = regexp.MustCompile(`(?i)\b(hf_|sk-|sk_|pk_|rk_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|nvapi-|AIza|ya29\.|AKIA|ASIA|npm_|pypi-|dckr_pat_|wandb_)[A-Za-z0-9_\-.]{8,}` +
	`|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|-----BEGIN|\b(bearer|basic)\s+[A-Za-z0-9+/=._-]{8,}`)

// opaque are long runs without meaning to a reader: hexadecimal and base64.
var opaque = regexp.MustCompile(`\b[0-9a-fA-F]{32,}\b|[A-Za-z0-9_+]{32,}`)

// secretName matches names that announce a secret.
var secretName = regexp.MustCompile(`(?i)(token|secret|passw|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credential|auth|cookie|session[-_]?key|signature)`)

// LooksSecret reports whether a value may be a key, token or password. It errs on
// the side of hiding.
func LooksSecret(value string) bool {
	if tokens.MatchString(value) {
		return true
	}
	for _, run := range opaque.FindAllString(value, -1) {
		if strings.ContainsAny(run, "0123456789") && strings.ContainsFunc(run, func(r rune) bool { return r > '9' }) {
			return true
		}
	}
	return false
}

// HideValue returns value without secrets: user information and query of URLs go,
// the home folder becomes "~", and what looks like a key goes as a whole.
func HideValue(value string) string {
	if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.Host != "" && (u.User != nil || u.RawQuery != "") {
		u.User, u.RawQuery = nil, ""
		value = u.String()
	}
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		if value == home {
			return "~"
		}
		value = strings.ReplaceAll(value, home+"/", "~/")
	}
	if LooksSecret(value) {
		return hidden
	}
	return value
}

// HideArgs returns a command line without secrets: the values of options and
// assignments whose names announce one, and whatever looks like one.
func HideArgs(args []string) []string {
	out := make([]string, len(args))
	next := false // hide the next argument, an option's value
	for i, arg := range args {
		name, value, assigned := strings.Cut(arg, "=")
		option := strings.HasPrefix(arg, "-")
		switch {
		case next && !option:
			out[i] = hidden
		case strings.Contains(name, "://"): // a URL with a query
			out[i] = hideText(arg)
		case assigned && secretName.MatchString(name):
			out[i] = name + "=" + hidden
		case assigned:
			out[i] = name + "=" + hideText(value)
		default:
			out[i] = hideText(arg)
		}
		next = option && !assigned && secretName.MatchString(name)
	}
	return out
}

// hideText hides within text that may hold structure, such as a JSON argument: if
// a name in it announces a secret, all of it goes.
func hideText(text string) string {
	if strings.ContainsAny(text, `":`) && secretName.MatchString(text) {
		return hidden
	}
	return HideValue(text)
}
