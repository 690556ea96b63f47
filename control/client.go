package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Client controls the profiler of another process. Dial makes one.
type Client struct {
	// Token is sent with every request when it is not empty.
	Token string

	base string
	http *http.Client
}

// Dial makes a client for addr: host:port, a URL, unix:PATH, or the path of a
// socket. It does not connect yet.
func Dial(addr string) (*Client, error) {
	if path, unix := socketPath(addr); unix {
		if path == "" {
			return nil, fmt.Errorf("dial %q: want unix:PATH", addr)
		}
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		return &Client{base: "http://localhost", http: &http.Client{Transport: &http.Transport{DialContext: dial}, CheckRedirect: stay}}, nil
	}
	if !strings.Contains(addr, "://") {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, fmt.Errorf("dial %q: want host:port, a URL, or unix:PATH", addr)
		}
		if host == "" {
			host = "localhost"
		}
		addr = "http://" + net.JoinHostPort(host, port)
	}
	u, err := url.Parse(addr)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("dial: want host:port, an http or https URL without a password, or unix:PATH")
	}
	return &Client{base: strings.TrimSuffix(u.String(), "/"), http: &http.Client{Transport: &http.Transport{}, CheckRedirect: stay}}, nil
}

// stay follows no redirect: the token belongs to one server.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// RemoteError is what a server answered in place of success.
type RemoteError struct {
	Code  int // HTTP status
	Reply Reply
}

// Error is the server's text.
func (e *RemoteError) Error() string {
	if e.Reply.Error == "" {
		return fmt.Sprintf("the server answered %d %s", e.Code, http.StatusText(e.Code))
	}
	return e.Reply.Error
}

// Start starts a session as the options say; their Dir is not sent.
func (c *Client) Start(ctx context.Context, o StartOptions) (Status, error) {
	body := map[string]any{}
	if o.Prefix != "" {
		body["profile_prefix"] = o.Prefix
	}
	if o.Delay != nil {
		body["delay_iterations"] = *o.Delay
	}
	if o.Max != nil {
		body["max_iterations"] = *o.Max
	}
	return c.ask(ctx, http.MethodPost, "/start_profile", body)
}

// Stop stops the session and returns what it left, as far as a failed one goes
// beside a *RemoteError.
func (c *Client) Stop(ctx context.Context) (Status, error) {
	return c.ask(ctx, http.MethodPost, "/stop_profile", nil)
}

// Status returns where the server's profiler stands.
func (c *Client) Status(ctx context.Context) (Status, error) {
	return c.ask(ctx, http.MethodGet, "/profile", nil)
}

// Download copies an artifact to w.
func (c *Client) Download(ctx context.Context, id string, w io.Writer) error {
	res, err := c.send(ctx, http.MethodGet, "/profile/artifacts/"+url.PathEscape(id), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, err := read(res)
		return err
	}
	if _, err := io.Copy(w, res.Body); err != nil {
		return fmt.Errorf("download %s: %w", id, err)
	}
	return nil
}

func (c *Client) ask(ctx context.Context, method, path string, body map[string]any) (Status, error) {
	res, err := c.send(ctx, method, path, body)
	if err != nil {
		return Status{}, err
	}
	defer res.Body.Close()
	return read(res)
}

func (c *Client) send(ctx context.Context, method, path string, body map[string]any) (*http.Response, error) {
	var data []byte
	if len(body) > 0 {
		data, _ = json.Marshal(body) // numbers and text always encode
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.base, err)
	}
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, fmt.Errorf("ask %s: %w", c.base, err)
	}
	return res, nil
}

// maxReply bounds a reply.
const maxReply = 16 << 20

// read decodes a reply. A server that is none of Reel's is named as such.
func read(res *http.Response) (Status, error) {
	data, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	if err != nil {
		return Status{}, fmt.Errorf("read the reply: %w", err)
	}
	var r Reply
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != ReplySchema {
		return Status{}, &RemoteError{Code: res.StatusCode, Reply: Reply{Error: fmt.Sprintf("no profiler control answers there (%s)", res.Status)}}
	}
	if res.StatusCode != http.StatusOK {
		return r.Status, &RemoteError{res.StatusCode, r}
	}
	return r.Status, nil
}
