package redact

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestAnnounced: names that announce a secret are known however they are joined, and
// those that only look so are not.
func TestAnnounced(t *testing.T) {
	for names, want := range map[string]least{
		"PGPASSWORD SSHPASS MYSQL_PWD DB_PASS SECRET --password PASSWORD1 db-passphrase ADMIN_PASSWD":                         chosen,
		"OPENAI_KEY GITHUB_PAT ENCRYPTION_KEY APIKEY HF_TOKEN githubToken AWS_CREDENTIALS REDIS_AUTH --api-key API_KEY_2 KEY": made,
		"AUTH_MODE MAX_TOKENS TOKEN_LIMIT SECRET_FILE SSH_AUTH_SOCK":                                                          hinted,
		"PATH KEYBOARD MONKEY COMPASS BYPASS PUBLIC_KEY SORT_KEY TOKENIZERS_PARALLELISM PATTERN AUTHOR COLORTERM PASSENGER":   {},
	} {
		for _, name := range strings.Fields(names) {
			if got := announced(name); got != want {
				t.Errorf("%s announces %v, want %v", name, got, want)
			}
		}
	}
}

// secretsOf are variables with what must not be left of each.
var secretsOf = map[string][]string{
	"PGPASSWORD=pg-pw-7x":                                   {"pg-pw-7x"},
	"OPENAI_KEY=oa_key_9z":                                  {"oa_key_9z"},
	"SSHPASS=Tr0ub4dor":                                     {"Tr0ub4dor"},
	"GITHUB_PAT=pat-1a2b3c":                                 {"pat-1a2b3c"},
	"ENCRYPTION_KEY=zyxwvut":                                {"zyxwvut"},
	"DATABASE_URL=postgres://bob:s3cr3tpw@h/x":              {"s3cr3tpw"},
	"CACHE_URL=redis://:p%40ss-9@h":                         {"p%40ss-9", "p@ss-9"},
	"GIT_REMOTE=https://0123456789abcdef0123456789abcdef@h": {"0123456789abcdef0123456789abcdef"},
	"PASSWORD=4815162342":                                   {"4815162342"},
	"DB_PASSWORD=tiny7":                                     {"tiny7"},
	"ADMIN_PASSWORD=hunter":                                 {"hunter"},
	"MY_SECRET=a!b?":                                        {"a!b?"},
	"ROOT_PASSWORD=secret":                                  {"my secret"},
	"PRIVATE_KEY=-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nqwertyuiopasdfgh\nqwert\nZz9=\n-----END RSA PRIVATE KEY-----": {"MIIEowIBAAKCAQEA", "qwertyuiopasdfgh", "qwert", "Zz9="},
	`TLS_KEY=-----BEGIN KEY-----\nMIIEpAIBAAKCAQEB\n-----END KEY-----`:                                                            {"MIIEpAIBAAKCAQEB"},
}

// TestSecrets: what the environment holds of secrets is nowhere in the output, however
// the environment is written and wherever the secret stands by itself; what merely has
// its letters or digits stays.
func TestSecrets(t *testing.T) {
	const kept = "a hunters untiny7x 148151623420 step_4 true"
	vars := slices.Sorted(maps.Keys(secretsOf))
	names, env := []string{kept}, map[string]string{}
	for _, v := range vars {
		for _, s := range secretsOf[v] {
			names = append(names, s, "on_"+s+"_now", "--x="+s+",y")
		}
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	quote := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	events := `"traceEvents":[{"ph":"X","ts":4815162342,"args":{"list":[1,4815162342,true,4815162342.5]},"names":` + quote(names) + `}]`
	for what, text := range map[string]string{
		"object": `{"environment":` + quote(env) + `,` + events + `}`,
		"lines":  `{"environment":` + quote(strings.Join(vars, "\n")) + `,` + events + `}`,
		"block":  `{"note":` + quote(strings.Join(vars, "\x00")+"\x00") + `,` + events + `}`,
	} {
		data, _ := redacted(t, put(t, t.TempDir()+"/x.json", []byte(text)))
		if !json.Valid(data) || !bytes.Contains(data, []byte(kept)) || !bytes.Contains(data, []byte(`"ts":4815162342,"args":{"list":[1,4815162342,true,4815162342.5]}`)) {
			t.Errorf("%s: %s", what, data)
		}
		_, texts, _ := bytes.Cut(data, []byte(`"names":`))
		for _, v := range vars {
			for _, s := range secretsOf[v] {
				if rest := bytes.ReplaceAll(texts, []byte(kept), nil); bytes.Contains(rest, []byte(s)) {
					t.Errorf("%s: %q of %q is left", what, s, v)
				}
			}
		}
	}
}
