package control

import "testing"

func TestAccess(t *testing.T) {
	c, _ := rig(t, Config{}, nil)
	bare, token := serve(t, c, HandlerOptions{}), serve(t, c, HandlerOptions{Token: "let me in"})
	wide := serve(t, c, HandlerOptions{Bind: "0.0.0.0:8091"})
	for _, test := range []struct {
		url    string
		header []string
		code   int
	}{
		{bare, nil, 200},
		{bare, []string{"Host", "evil.example"}, 403},
		{bare, []string{"Host", "[::1]:8091"}, 200},
		{token, nil, 401},
		{token, []string{"Authorization", "Bearer wrong"}, 401},
		{token, []string{"Authorization", "Basic let me in"}, 401},
		{token, []string{"Authorization", "bearer let me in"}, 200},
		{token, []string{"Authorization", "Bearer let me in", "Host", "gpu7.example"}, 200},
		{wide, nil, 401},
		{wide, []string{"Authorization", "Bearer "}, 401},
	} {
		if code, _ := ask(t, "GET", test.url+"/profile", "", test.header...); code != test.code {
			t.Errorf("%v: %d, want %d", test.header, code, test.code)
		}
	}
	if code, _ := ask(t, "POST", bare+"/start_profile", "", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); code != 403 {
		t.Error("a foreign page starts a session:", code)
	}
	for addr, is := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "::1": true, "localhost:80": true, "127.3.2.1": true, "[::ffff:127.0.0.1]:1": true,
		"": false, ":80": false, "0.0.0.0:80": false, "[::]:80": false, "10.0.0.1:1": false, "localhost.evil.example:1": false, "127.0.0.1.evil.example": false} {
		if Loopback(addr) != is {
			t.Errorf("Loopback(%q) is %v", addr, !is)
		}
	}
}
